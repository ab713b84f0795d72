/**
 * Zod generates code for its schemas where it can, and finds out by trying. The policy of these pages forbids that, and
 * the browser reports each attempt: call this before anything is verified. It sets what `config` of Zod sets, because
 * importing that would load Zod with the first page.
 */
export function withoutEval(): void {
  const zod = globalThis as { __zod_globalConfig?: { jitless?: boolean } }
  zod.__zod_globalConfig ??= {}
  zod.__zod_globalConfig.jitless = true
}
