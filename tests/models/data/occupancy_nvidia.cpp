// Puts cases from standard input through NVIDIA's own occupancy calculator.
//   in:  major minor threads_per_sm shared_per_sm shared_opt_in shared_reserved
//        threads registers static dynamic carveout opt_in barriers
//   out: blocks limiting_factors registers_per_block shared_per_block best_block_size min_grid
#include <climits>
#include <cstdio>
#include <cuda_occupancy.h>

int main() {
  cudaOccDeviceProp chip;
  cudaOccFuncAttributes kernel;
  cudaOccDeviceState state;
  chip.maxThreadsPerBlock = 1024;
  chip.regsPerBlock = chip.regsPerMultiprocessor = 65536;
  chip.warpSize = 32;
  chip.sharedMemPerBlock = 48 * 1024;
  chip.numSms = 1;
  kernel.maxThreadsPerBlock = INT_MAX;
  int threads, opt_in;
  size_t dynamic;
  while (scanf("%d %d %d %zu %zu %zu %d %d %zu %zu %d %d %d", &chip.computeMajor, &chip.computeMinor,
               &chip.maxThreadsPerMultiprocessor, &chip.sharedMemPerMultiprocessor,
               &chip.sharedMemPerBlockOptin, &chip.reservedSharedMemPerBlock, &threads, &kernel.numRegs,
               &kernel.sharedSizeBytes, &dynamic, &state.carveoutConfig, &opt_in,
               &kernel.numBlockBarriers) == 13) {
    kernel.shmemLimitConfig = opt_in ? FUNC_SHMEM_LIMIT_OPTIN : FUNC_SHMEM_LIMIT_DEFAULT;
    kernel.maxDynamicSharedSizeBytes = dynamic;
    cudaOccResult r;
    int grid = -1, best = -1;
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&r, &chip, &kernel, &state, threads, dynamic) ||
        cudaOccMaxPotentialOccupancyBlockSize(&grid, &best, &chip, &kernel, &state, dynamic))
      return 1;
    printf("%d %u %d %zu %d %d\n", r.activeBlocksPerMultiprocessor, r.limitingFactors,
           r.allocatedRegistersPerBlock, r.allocatedSharedMemPerBlock, best, grid);
  }
}
