/**
 * What an earlier state of a database would allow again, and what an import does about it.
 *
 * @module
 */

export interface AfterImport {
  /** Runs with the import, in the same step. */
  readonly sql: readonly string[]
  /** What only the operator can do, as sentences. */
  readonly todo: readonly string[]
}

/** Numbers that were given after the export are not given again: an index or a reader knows things by them. */
export const SKIPPED_NUMBERS = 1_000_000

const NOTHING: AfterImport = { sql: [], todo: [] }

/** By the committed name of a database. The page on restoring says the same in more words. */
export const AFTER_IMPORT: Readonly<Record<string, AfterImport>> = {
  'svc-auth': {
    sql: [
      // Those that were ended since would be valid again.
      'DELETE FROM sessions',
      'DELETE FROM known_devices',
      // A grant for a recovery names the number of recoveries before it: a used one would fit again.
      `UPDATE accounts SET recoveries = recoveries + ${SKIPPED_NUMBERS}`,
    ],
    todo: [
      'Everybody signs in again. Passwords and passkeys that were changed, removed or added since the export are as they were: ask people to look at their account page.',
    ],
  },
  'svc-control': {
    sql: [],
    todo: [
      'Acts that were signed until five minutes after the loss are refused. Perform again what you did since the export: licences that you ended, codes that you issued, policies.',
      'Codes that were redeemed since the export can be redeemed again, by anybody who has one: issue others for those that you do not trust.',
    ],
  },
  'svc-core': {
    sql: [],
    todo: [
      'Write the index of anchors again: scripts/admin rebuild-anchors LOG, for each log.',
      'Repeat the takedowns since the export: scripts/admin takedown core pin CID REASON.',
    ],
  },
  'svc-did': NOTHING,
  'svc-keys': NOTHING,
  'svc-pay': {
    sql: [],
    todo: [
      'The daily run compares the events of the payment provider since the export and applies them: refunds by then at the latest. Look at scripts/admin dead-letters afterwards.',
    ],
  },
  'svc-provenance': {
    sql: [],
    todo: [
      'Rebuild the search indexes: scripts/admin reindex text, then semantic, fragment and video.',
      'Repeat the takedowns since the export: scripts/admin takedown provenance KIND ID REASON.',
    ],
  },
}
