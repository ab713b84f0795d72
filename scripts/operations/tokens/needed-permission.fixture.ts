import type { Permission } from './token-permissions.ts'

/** By method and the start of a path below the account, the first that fits. As in the reference of Cloudflare's API. */
const NEEDED: readonly (readonly [RegExp, ...Permission[]])[] = [
  [/^\w+ \/d1\//, 'D1: Edit'],
  [/^\w+ \/storage\/kv\//, 'Workers KV Storage: Edit'],
  [/^\w+ \/r2\//, 'Workers R2 Storage: Edit'],
  [/^\w+ \/vectorize\//, 'Vectorize: Edit'],
  // Custom domains are routes of their zone.
  [/^\w+ \/workers\/(?:scripts|services)\/[^/]+\/domains\//, 'Workers Routes: Edit'],
  [/^GET \/workers\//, 'Workers Scripts: Read', 'Workers Scripts: Edit'],
  [/^\w+ \/workers\//, 'Workers Scripts: Edit'],
]

/** Any one of these allows it. */
export function neededPermission(method: string, path: string): readonly Permission[] {
  const [, ...permissions] = NEEDED.find(([pattern]) => pattern.test(`${method} ${path}`)) ?? []
  return permissions
}
