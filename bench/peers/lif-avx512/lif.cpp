// The CUBA network of @svc/spiking in plain C++ with AVX-512 intrinsics: what this machine can do with the same numbers.
//
//   g++ -O3 -std=c++17 -march=native -ffp-contract=off -pthread lif.cpp -o lif
//   ./lif NEURONS OUT_DEGREE STEPS WARMUP_STEPS THREADS SEED
//
// Prints JSON. Every float is rounded where the engine rounds it (no fused multiply-adds), wiring and start come from the same
// counter hash: it fires the same spikes, so that the benchmark can hold their number against the engine's. dt is 0.1 ms, the
// delay 1.5 ms; out-degree 0 is the update alone; otherwise targets are stored, 16 bits each, and the out-degree is a
// multiple of the number of sectors. Threads take sectors of a block of 16 steps, as the engine's do.

#include <immintrin.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <thread>
#include <vector>

namespace {

constexpr int BLOCK = 16;
constexpr int REFRACTORY = 50;
constexpr int LISTS = 5 * BLOCK;  // steps whose spikes are still needed, in whole blocks: more than REFRACTORY
constexpr int LANES = 16;
constexpr float THRESHOLD = -1.0f, RESET = -11.0f, FLOOR = 1e-20f;
constexpr float SILENT = -std::numeric_limits<float>::infinity();

uint32_t mix(uint32_t x) {
  x ^= x >> 16;
  x *= 0x21f0aaadu;
  x ^= x >> 15;
  x *= 0x735a2d97u;
  return x ^ (x >> 15);
}

uint32_t key(uint32_t seed, uint32_t domain, uint32_t index) {
  return mix(mix(seed + domain * 0x9e3779b9u) + index * 0x85ebca6bu);
}

uint32_t hash(uint32_t x, uint32_t key0, uint32_t key1) {
  x += key0;
  x ^= x >> 16;
  x *= 0x21f0aaadu;
  x ^= x >> 15;
  x += key1;
  x *= 0x735a2d97u;
  return x ^ (x >> 15);
}

struct Tables {
  float a, rescale_e, rescale_i;
  float be[BLOCK], bi[BLOCK], we[BLOCK], wi[BLOCK];
};

Tables tables() {
  const double dt = 0.1, membrane = 20, excitatory = 5, inhibitory = 10;
  const auto gain = [&](double tau) {
    return tau / (tau - membrane) * (std::exp(-dt / tau) - std::exp(-dt / membrane));
  };
  Tables t;
  t.a = static_cast<float>(std::exp(-dt / membrane));
  t.rescale_e = static_cast<float>(std::exp(-BLOCK * dt / excitatory));
  t.rescale_i = static_cast<float>(std::exp(-BLOCK * dt / inhibitory));
  for (int s = 0; s < BLOCK; s++) {
    t.be[s] = static_cast<float>(gain(excitatory) * std::exp(s * dt / -excitatory));
    t.bi[s] = static_cast<float>(gain(inhibitory) * std::exp(s * dt / -inhibitory));
    t.we[s] = static_cast<float>(1.62 * std::exp(s * dt / excitatory));
    t.wi[s] = static_cast<float>(-9.0 * std::exp(s * dt / inhibitory));
  }
  return t;
}

// The neurons of one sector, padded to whole vectors with neurons that never fire, and what reaches them.
struct Sector {
  uint32_t begin, count, padded;
  float *v, *e, *i;
  uint16_t *targets = nullptr;  // row of source k: targets[k * per_sector ...]
  std::vector<uint32_t> spikes[LISTS];
};

struct Network {
  uint32_t neurons, excitatory, per_sector, seed;
  Tables tables;
  std::vector<Sector> sectors;
  size_t bytes = 0;

  template <typename T>
  T *allocate(size_t count) {
    const size_t size = (count * sizeof(T) + 63) / 64 * 64;
    bytes += size;
    return static_cast<T *>(std::aligned_alloc(64, size));
  }

  void build_sector(uint32_t index, uint32_t size) {
    Sector &sector = sectors[index];
    sector.begin = index * size;
    sector.count = std::min(neurons, sector.begin + size) - sector.begin;
    sector.padded = (sector.count + LANES - 1) / LANES * LANES;
    sector.v = allocate<float>(sector.padded);
    sector.e = allocate<float>(sector.padded);
    sector.i = allocate<float>(sector.padded);
    const uint32_t start0 = key(seed, 3, 0), start1 = key(seed, 3, 1);
    for (uint32_t k = 0; k < sector.padded; k++) {
      sector.e[k] = sector.i[k] = 0;
      const float share = static_cast<float>(hash(sector.begin + k, start0, start1) >> 8) * 0x1p-24f;
      sector.v[k] = k < sector.count ? RESET + 10.0f * share : SILENT;
    }
    if (per_sector == 0) return;
    sector.targets = allocate<uint16_t>(static_cast<size_t>(neurons) * per_sector);
    const uint32_t key0 = key(seed, 1, 2 * index), key1 = key(seed, 1, 2 * index + 1);
    for (uint32_t source = 0; source < neurons; source++) {
      for (uint32_t m = 0; m < per_sector; m++) {
        const uint64_t random = hash(source * (per_sector + 1) + m, key0, key1);
        sector.targets[static_cast<size_t>(source) * per_sector + m] = random * sector.count >> 32;
      }
    }
  }

  void deliver(Sector &sector, int list, int s) {
    constexpr size_t AHEAD = 8;
    for (const Sector &from : sectors) {
      const std::vector<uint32_t> &spikes = from.spikes[list];
      for (size_t n = 0; n < spikes.size(); n++) {
        const size_t ahead = spikes[n + AHEAD < spikes.size() ? n + AHEAD : n];
        __builtin_prefetch(sector.targets + ahead * per_sector);
        const uint16_t *row = sector.targets + static_cast<size_t>(spikes[n]) * per_sector;
        float *current = spikes[n] < excitatory ? sector.e : sector.i;
        const float weight = spikes[n] < excitatory ? tables.we[s] : tables.wi[s];
        for (uint32_t m = 0; m < per_sector; m++) current[row[m]] += weight;
      }
    }
  }

  void update(Sector &sector, std::vector<uint32_t> &spikes, int s) {
    const __m512 a = _mm512_set1_ps(tables.a), be = _mm512_set1_ps(tables.be[s]), bi = _mm512_set1_ps(tables.bi[s]);
    const __m512 threshold = _mm512_set1_ps(THRESHOLD), silent = _mm512_set1_ps(SILENT);
    for (uint32_t k = 0; k < sector.padded; k += LANES) {
      const __m512 drive = _mm512_add_ps(_mm512_mul_ps(_mm512_load_ps(sector.e + k), be),
                                         _mm512_mul_ps(_mm512_load_ps(sector.i + k), bi));
      __m512 v = _mm512_add_ps(_mm512_mul_ps(_mm512_load_ps(sector.v + k), a), drive);
      __mmask16 fired = _mm512_cmp_ps_mask(v, threshold, _CMP_GT_OQ);
      v = _mm512_mask_mov_ps(v, fired, silent);
      _mm512_store_ps(sector.v + k, v);
      for (uint32_t bits = fired; bits != 0; bits &= bits - 1) {
        spikes.push_back(sector.begin + k + __builtin_ctz(bits));
      }
    }
  }

  void rescale(Sector &sector) {
    const __m512 floor = _mm512_set1_ps(FLOOR);
    for (auto [current, factor] : {std::pair(sector.e, tables.rescale_e), std::pair(sector.i, tables.rescale_i)}) {
      for (uint32_t k = 0; k < sector.padded; k += LANES) {
        const __m512 x = _mm512_mul_ps(_mm512_load_ps(current + k), _mm512_set1_ps(factor));
        const __mmask16 keeps = _mm512_cmp_ps_mask(_mm512_abs_ps(x), floor, _CMP_GE_OQ);
        _mm512_store_ps(current + k, _mm512_maskz_mov_ps(keeps, x));
      }
    }
  }

  void run_block(Sector &sector, long block) {
    for (int s = 0; s < BLOCK; s++) {
      const long step = block * BLOCK + s;
      std::vector<uint32_t> &spikes = sector.spikes[step % LISTS];
      spikes.clear();
      // A spike acts 16 steps after its own: always one of the block before.
      if (per_sector != 0 && step >= BLOCK) deliver(sector, (step - BLOCK) % LISTS, s);
      update(sector, spikes, s);
      if (step < REFRACTORY) continue;
      for (const uint32_t id : sector.spikes[(step - REFRACTORY) % LISTS]) sector.v[id - sector.begin] = RESET;
    }
    rescale(sector);
  }
};

double milliseconds() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Blocks from first to last, sectors of each taken by whichever thread is free; a barrier after each.
void run_blocks(Network &network, long first, long last, int threads, std::atomic<long> &spike_count) {
  const long sectors = static_cast<long>(network.sectors.size());
  std::atomic<long> next{0}, done{0};
  const auto work = [&] {
    long spikes = 0;
    for (long block = first; block < last; block++) {
      const long end = (block - first + 1) * sectors;
      for (;;) {
        long task = next.load(std::memory_order_relaxed);
        if (task >= end) break;
        if (!next.compare_exchange_weak(task, task + 1)) continue;
        Sector &sector = network.sectors[task % sectors];
        network.run_block(sector, block);
        for (int s = 0; s < BLOCK; s++) spikes += static_cast<long>(sector.spikes[(block * BLOCK + s) % LISTS].size());
        done.fetch_add(1, std::memory_order_release);
      }
      while (done.load(std::memory_order_acquire) < end) _mm_pause();
    }
    spike_count += spikes;
  };
  std::vector<std::thread> others;
  for (int k = 1; k < threads; k++) others.emplace_back(work);
  work();
  for (std::thread &other : others) other.join();
}

}  // namespace

int main(int count, char **arguments) {
  if (count != 7) {
    std::fprintf(stderr, "lif NEURONS OUT_DEGREE STEPS WARMUP_STEPS THREADS SEED\n");
    return 2;
  }
  Network network;
  network.neurons = static_cast<uint32_t>(std::atol(arguments[1]));
  const uint32_t out_degree = static_cast<uint32_t>(std::atol(arguments[2]));
  const long steps = std::atol(arguments[3]), warmup = std::atol(arguments[4]);
  const int threads = std::atoi(arguments[5]);
  network.seed = static_cast<uint32_t>(std::atol(arguments[6]));
  const uint32_t sectors = network.neurons <= 8192     ? 1
                           : network.neurons <= 65536 ? 2
                                                      : 4 * ((network.neurons + 262143) / 262144);
  if (steps % BLOCK != 0 || warmup % BLOCK != 0 || out_degree % sectors != 0 || !__builtin_cpu_supports("avx512f")) {
    std::fprintf(stderr, "steps are multiples of %d, the out-degree one of %u, the processor has AVX-512\n", BLOCK, sectors);
    return 2;
  }
  const double begin = milliseconds();
  network.excitatory = network.neurons / 10 * 8 + network.neurons % 10 * 8 / 10;
  network.per_sector = out_degree / sectors;
  network.tables = tables();
  network.sectors.resize(sectors);
  for (uint32_t index = 0; index < sectors; index++) {
    network.build_sector(index, (network.neurons + sectors - 1) / sectors);
  }
  const double built = milliseconds();
  std::atomic<long> ignored{0}, spikes{0};
  run_blocks(network, 0, warmup / BLOCK, threads, ignored);
  const double warm = milliseconds();
  run_blocks(network, warmup / BLOCK, (warmup + steps) / BLOCK, threads, spikes);
  const double loop = milliseconds() - warm;
  std::printf("{\"loopMs\":%.3f,\"buildMs\":%.1f,\"spikeCount\":%ld,\"bytes\":%zu}\n", loop, built - begin, spikes.load(),
              network.bytes);
}
