import type { Permission } from './token-permissions.ts'

/** By the start of a path below the account, the first that fits. As in the reference of Cloudflare's API. */
const NEEDED: readonly (readonly [RegExp, Permission])[] = [
  [/^\/d1\//, 'D1: Edit'],
  [/^\/storage\/kv\//, 'Workers KV Storage: Edit'],
  [/^\/r2\//, 'Workers R2 Storage: Edit'],
  [/^\/vectorize\//, 'Vectorize: Edit'],
  // Custom domains are routes of their zone.
  [/^\/workers\/(?:scripts|services)\/[^/]+\/domains\//, 'Workers Routes: Edit'],
  [/^\/workers\//, 'Workers Scripts: Edit'],
]

export function neededPermission(path: string): Permission | null {
  return NEEDED.find(([pattern]) => pattern.test(path))?.[1] ?? null
}
