/*
 * A libnvidia-ml.so.1 whose answers are in the text file that NVML_STUB_SCRIPT names. The file is
 * read at every call, so a test can change an answer while the agent runs.
 *
 *   <device> <call>[(<argument>)] <answer>
 *
 * device: "-" for the system, "0" for the first GPU, "0/1" for the second instance of it.
 * answer: numbers in the order of the C structure or parameters, a text, "!15" for an error,
 *         "hang" for a call that returns only when the file says otherwise.
 *
 * What is not in the file is Not Supported. As in the real library, nothing is answered before
 * nvmlInit, nor in a child of the process that called it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OK = 0, UNINITIALIZED = 1, NOT_SUPPORTED = 3, NOT_FOUND = 6, INSUFFICIENT_SIZE = 7,
       TIMEOUT = 10, UNKNOWN = 999 };
enum { MOST_GPUS = 8, MOST_INSTANCES = 8, MOST_VALUES = 64 };

typedef struct { char name[8]; } device_t;
typedef unsigned long long u64;

static device_t devices[MOST_GPUS * (MOST_INSTANCES + 1)];
static int uses;
static pid_t owner;
static unsigned delivered;
static int registered;
static struct { char name[64]; unsigned count; } calls[128];

static void count(const char *name) {
    for (int i = 0; i < 128; i++) {
        if (!calls[i].name[0]) strncpy(calls[i].name, name, 63);
        if (!strcmp(calls[i].name, name)) { calls[i].count++; return; }
    }
}

/* How often a function was called; for the tests. */
unsigned stub_calls(const char *name) {
    for (int i = 0; i < 128; i++) if (!strcmp(calls[i].name, name)) return calls[i].count;
    return 0;
}

static int find(const char *device, const char *key, char *answer, size_t size) {
    char line[1024], one[16], two[128];
    int used = 0, found = 0;
    FILE *file = fopen(getenv("NVML_STUB_SCRIPT"), "r");
    if (!file) abort();
    while (!found && fgets(line, sizeof line, file)) {
        if (sscanf(line, "%15s %127s %n", one, two, &used) < 2) continue;
        if (strcmp(one, device) || strcmp(two, key)) continue;
        line[strcspn(line, "\n")] = 0;
        snprintf(answer, size, "%s", line + used);
        found = 1;
    }
    fclose(file);
    return found;
}

static int lookup(const char *device, const char *key, char *answer, size_t size) {
    do {
        if (!find(device, key, answer, size)) return NOT_SUPPORTED;
        if (strcmp(answer, "hang")) break;
        usleep(10000);
    } while (1);
    return answer[0] == '!' ? atoi(answer + 1) : OK;
}

static int ready(void) {
    int yes = uses > 0 && owner == getpid();
    if (!yes) count("uninitialized");
    return yes;
}

static int text(const device_t *device, const char *key, char *out, unsigned size) {
    count(key);
    if (!ready()) return UNINITIALIZED;
    return lookup(device ? device->name : "-", key, out, size);
}

static int numbers(const device_t *device, const char *name, int argument, u64 *out, int *got) {
    char key[128], answer[1024], *at = answer, *end;
    int code;
    count(name);
    if (!ready()) return UNINITIALIZED;
    if (argument >= 0) snprintf(key, sizeof key, "%s(%d)", name, argument);
    else snprintf(key, sizeof key, "%s", name);
    code = lookup(device ? device->name : "-", key, answer, sizeof answer);
    *got = 0;
    if (code) return code;
    while (*got < MOST_VALUES) {
        u64 value = *at == '-' ? (u64)strtoll(at, &end, 10) : strtoull(at, &end, 10);
        if (end == at) break;
        out[(*got)++] = value;
        at = end + (*end == ' ');
    }
    return OK;
}

static int uints(const device_t *device, const char *name, int argument, unsigned **out, int want) {
    u64 values[MOST_VALUES] = {0};
    int got, code = numbers(device, name, argument, values, &got);
    for (int i = 0; !code && i < want; i++) *out[i] = (unsigned)values[i];
    return code;
}

#define LIST(...) ((unsigned *[]){__VA_ARGS__})
#define UINT(NAME) int NAME(device_t *d, unsigned *a) { return uints(d, #NAME, -1, LIST(a), 1); }
#define UINT2(NAME) int NAME(device_t *d, unsigned *a, unsigned *b) \
    { return uints(d, #NAME, -1, LIST(a, b), 2); }
#define UINT_OF(NAME) int NAME(device_t *d, int which, unsigned *a) \
    { return uints(d, #NAME, which, LIST(a), 1); }
#define TEXT(NAME) int NAME(device_t *d, char *out, unsigned size) \
    { return text(d, #NAME, out, size); }
#define U64(NAME) int NAME(device_t *d, u64 *out) \
    { u64 v[MOST_VALUES]; int n, c = numbers(d, #NAME, -1, v, &n); if (!c) *out = v[0]; return c; }

int nvmlInitWithFlags(unsigned flags) {
    char answer[64] = "";
    int code = find("-", "nvmlInit", answer, sizeof answer) ? atoi(answer + 1) : OK;
    (void)flags;
    count("nvmlInit");
    if (code) return code;
    if (!uses++) owner = getpid();
    for (int gpu = 0; gpu < MOST_GPUS; gpu++) {
        snprintf(devices[gpu].name, 8, "%d", gpu);
        for (int i = 0; i < MOST_INSTANCES; i++)
            snprintf(devices[MOST_GPUS + gpu * MOST_INSTANCES + i].name, 8, "%d/%d", gpu, i);
    }
    return OK;
}

int nvmlShutdown(void) {
    count("nvmlShutdown");
    if (!uses) return UNINITIALIZED;
    uses--;
    registered = 0;
    return OK;
}

const char *nvmlErrorString(int code) {
    return code == 77 ? "An error that nobody knows" : "error of the stub";
}

int nvmlSystemGetDriverVersion(char *out, unsigned size) {
    return text(NULL, "nvmlSystemGetDriverVersion", out, size);
}

int nvmlSystemGetCudaDriverVersion(int *out) {
    return uints(NULL, "nvmlSystemGetCudaDriverVersion", -1, LIST((unsigned *)out), 1);
}

int nvmlDeviceGetCount_v2(unsigned *out) {
    return uints(NULL, "nvmlDeviceGetCount", -1, LIST(out), 1);
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, device_t **out) {
    char answer[64];
    if (!ready()) return UNINITIALIZED;
    *out = &devices[index];
    return find(devices[index].name, "nvmlDeviceGetHandleByIndex", answer, sizeof answer)
        ? atoi(answer + 1) : OK;
}

TEXT(nvmlDeviceGetUUID)
TEXT(nvmlDeviceGetName)
TEXT(nvmlDeviceGetVbiosVersion)
UINT(nvmlDeviceGetMinorNumber)
UINT2(nvmlDeviceGetCudaComputeCapability)
UINT2(nvmlDeviceGetEncoderUtilization)
UINT2(nvmlDeviceGetDecoderUtilization)
UINT_OF(nvmlDeviceGetClockInfo)
UINT_OF(nvmlDeviceGetMaxClockInfo)
UINT(nvmlDeviceGetPerformanceState)
UINT(nvmlDeviceGetPersistenceMode)
UINT(nvmlDeviceGetComputeMode)
UINT_OF(nvmlDeviceGetTemperature)
UINT_OF(nvmlDeviceGetTemperatureThreshold)
UINT_OF(nvmlDeviceGetFanSpeed_v2)
UINT(nvmlDeviceGetFanSpeed)
UINT(nvmlDeviceGetPowerUsage)
UINT(nvmlDeviceGetEnforcedPowerLimit)
U64(nvmlDeviceGetTotalEnergyConsumption)
UINT(nvmlDeviceGetCurrPcieLinkGeneration)
UINT(nvmlDeviceGetMaxPcieLinkGeneration)
UINT(nvmlDeviceGetCurrPcieLinkWidth)
UINT(nvmlDeviceGetMaxPcieLinkWidth)
UINT(nvmlDeviceGetPcieReplayCounter)
UINT_OF(nvmlDeviceGetPcieThroughput)
U64(nvmlDeviceGetCurrentClocksThrottleReasons)
UINT2(nvmlDeviceGetMigMode)
UINT(nvmlDeviceGetMaxMigDeviceCount)
UINT(nvmlDeviceGetGpuInstanceId)
UINT(nvmlDeviceGetComputeInstanceId)

int nvmlDeviceGetUtilizationRates(device_t *device, unsigned *out) {
    return uints(device, "nvmlDeviceGetUtilizationRates", -1, LIST(out, out + 1), 2);
}

int nvmlDeviceGetRemappedRows(device_t *d, unsigned *a, unsigned *b, unsigned *p, unsigned *f) {
    return uints(d, "nvmlDeviceGetRemappedRows", -1, LIST(a, b, p, f), 4);
}

int nvmlDeviceGetTotalEccErrors(device_t *device, int error, int counter, u64 *out) {
    char name[64];
    u64 values[MOST_VALUES];
    int got, code;
    snprintf(name, sizeof name, "nvmlDeviceGetTotalEccErrors(%d,%d)", error, counter);
    code = numbers(device, name, -1, values, &got);
    if (!code) *out = values[0];
    return code;
}

struct memory { u64 total, free, used; };
int nvmlDeviceGetMemoryInfo(device_t *device, struct memory *out) {
    u64 v[MOST_VALUES];
    int got, code = numbers(device, "nvmlDeviceGetMemoryInfo", -1, v, &got);
    if (!code) *out = (struct memory){v[0], v[1], v[2]};
    return code;
}

struct memory_v2 { unsigned version; u64 total, reserved, free, used; };
int nvmlDeviceGetMemoryInfo_v2(device_t *device, struct memory_v2 *out) {
    u64 v[MOST_VALUES];
    int got, code;
    /* nvmlMemory_v2: the size of the structure, and 2 in the highest byte. */
    if (out->version != (sizeof *out | 2 << 24)) return 25;
    code = numbers(device, "nvmlDeviceGetMemoryInfo_v2", -1, v, &got);
    if (!code) *out = (struct memory_v2){out->version, v[0], v[1], v[2], v[3]};
    return code;
}

struct violation { u64 reference, time; };
int nvmlDeviceGetViolationStatus(device_t *device, int policy, struct violation *out) {
    u64 v[MOST_VALUES];
    int got, code = numbers(device, "nvmlDeviceGetViolationStatus", policy, v, &got);
    if (!code) *out = (struct violation){v[0], v[1]};
    return code;
}

struct field { unsigned id, scope; long long timestamp, latency; int type, code; u64 value; };
int nvmlDeviceGetFieldValues(device_t *device, int many, struct field *fields) {
    for (int i = 0; i < many; i++) {
        u64 v[MOST_VALUES];
        int got;
        fields[i].code = numbers(device, "nvmlDeviceGetFieldValues", (int)fields[i].id, v, &got);
        fields[i].type = 3; /* unsigned long long */
        if (!fields[i].code) fields[i].value = v[0];
    }
    return ready() ? OK : UNINITIALIZED;
}

struct pci { char legacy[16]; unsigned domain, bus, device, id, subsystem; char bus_id[32]; };
int nvmlDeviceGetPciInfo_v3(device_t *device, struct pci *out) {
    return text(device, "nvmlDeviceGetPciInfo", out->bus_id, sizeof out->bus_id);
}

int nvmlDeviceGetMigDeviceHandleByIndex(device_t *device, unsigned index, device_t **out) {
    char answer[8];
    device_t *instance = &devices[MOST_GPUS + atoi(device->name) * MOST_INSTANCES + index];
    if (!ready()) return UNINITIALIZED;
    if (!find(instance->name, "nvmlDeviceGetGpuInstanceId", answer, sizeof answer)) return NOT_FOUND;
    *out = instance;
    return OK;
}

/* The answer is: pid and bytes of each process; bytes of -1 are "not available". */
struct process { unsigned pid; u64 memory; unsigned gi, ci; };
static int processes(device_t *device, const char *name, unsigned *room, struct process *out) {
    u64 v[MOST_VALUES];
    int got, code = numbers(device, name, -1, v, &got);
    unsigned many = (unsigned)got / 2, space = *room;
    if (code) return code;
    *room = many;
    if (many > space) return INSUFFICIENT_SIZE;
    for (unsigned i = 0; i < many; i++)
        out[i] = (struct process){(unsigned)v[2 * i], v[2 * i + 1], ~0u, ~0u};
    return OK;
}

int nvmlDeviceGetComputeRunningProcesses_v3(device_t *d, unsigned *room, struct process *out) {
    return processes(d, "nvmlDeviceGetComputeRunningProcesses", room, out);
}

int nvmlDeviceGetGraphicsRunningProcesses_v3(device_t *d, unsigned *room, struct process *out) {
    return processes(d, "nvmlDeviceGetGraphicsRunningProcesses", room, out);
}

int nvmlEventSetCreate(void **set) {
    static int events;
    *set = &events;
    return ready() ? OK : UNINITIALIZED;
}

int nvmlEventSetFree(void *set) { (void)set; return ready() ? OK : UNINITIALIZED; }

int nvmlDeviceRegisterEvents(device_t *device, u64 types, void *set) {
    char answer[256];
    (void)set;
    if (!ready()) return UNINITIALIZED;
    if (!(types & 8)) return 2;
    registered = 1;
    return lookup(device->name, "xids", answer, sizeof answer);
}

/* The line "xids" of a GPU lists the numbers that have come so far; only GPU 0 has any. */
struct event { device_t *device; u64 type, data; unsigned gi, ci; };
int nvmlEventSetWait_v2(void *set, struct event *out, unsigned milliseconds) {
    u64 v[MOST_VALUES];
    int got, code = numbers(&devices[0], "xids", -1, v, &got);
    (void)set;
    if (!registered) return 2;
    if (code) return code;
    if (delivered < (unsigned)got) {
        *out = (struct event){&devices[0], 8, v[delivered++], ~0u, ~0u};
        return OK;
    }
    usleep(milliseconds * 1000);
    return TIMEOUT;
}
