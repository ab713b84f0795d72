/**
 * Zod generates code for its schemas where it can, and finds out by trying. The policy of these pages forbids that, and
 * the browser reports each attempt, so it is told not to try. This is where `config` of Zod keeps what it is told;
 * importing that would load Zod with the first page.
 */
const zod = globalThis as { __zod_globalConfig?: { jitless?: boolean } }
zod.__zod_globalConfig ??= {}
zod.__zod_globalConfig.jitless = true

export {}
