/**
 * How processes of the product set the C library's allocator, which reads it when a process begins: `npm start`, images and benchmarks
 * alike. By default glibc keeps a heap for each of up to eight threads a core, and from the first large body that is freed on it takes
 * later ones, up to 32 MiB, from those heaps and never gives them back. Two heaps, and blocks of 128 KiB and more by mmap, which are
 * given back: 250 MB less after a siege. Other C libraries do not look at it.
 */
export const ALLOCATOR = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
};
