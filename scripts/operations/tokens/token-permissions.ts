/**
 * What the API token of each command must be allowed to do (workers/docs/pages/developer/supply-chain.md).
 *
 * @module
 */

/** The names of Cloudflare's dashboard. */
export const PERMISSIONS = [
  'D1: Edit',
  'Workers KV Storage: Edit',
  'Workers R2 Storage: Edit',
  'Vectorize: Edit',
  'Workers Scripts: Edit',
  'Workers Scripts: Read',
  'Workers Routes: Edit',
  'Account Analytics: Read',
] as const
export type Permission = (typeof PERMISSIONS)[number]

/** The one of these that belongs to a zone; the others belong to the account. */
export const OF_ZONE: Permission = 'Workers Routes: Edit'

export const TOKENS: Readonly<Record<string, readonly Permission[]>> = {
  'scripts/provision': [
    'D1: Edit',
    'Workers KV Storage: Edit',
    'Workers R2 Storage: Edit',
    'Vectorize: Edit',
    'Workers Scripts: Edit',
  ],
  'scripts/deploy': ['D1: Edit', 'Workers Scripts: Edit', 'Workers Routes: Edit'],
  'scripts/deploy --check': ['Workers Scripts: Read'],
  'scripts/deploy --roll-back': ['Workers Scripts: Edit'],
  'scripts/log-list publish': ['Workers R2 Storage: Edit'],
  'scripts/slo --deployment': ['Account Analytics: Read'],
  'scripts/operate export-databases': ['D1: Edit', 'Workers R2 Storage: Edit'],
  'scripts/operate import-databases': ['D1: Edit', 'Workers R2 Storage: Edit'],
  'scripts/operate seed-versions': ['D1: Edit'],
}
