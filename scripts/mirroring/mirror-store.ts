import { type UpdateEntry, updateEntryOf } from '@svc/protocol/keys/account-updates'
import { anchorLeafOf, type LoggedAnchor } from '@svc/protocol/ledger/anchor-log'
import { MAX_ANCHOR_PUBLICATIONS } from '@svc/protocol/ledger/anchor-publications'
import type { SignedPublication } from '@svc/protocol/ledger/anchors'
import { type WithheldNotice, withheldNoticeSchema } from '@svc/protocol/ledger/withheld-notice'
import type { SignedLogList } from '@svc/protocol/merkle/log-list'
import type { LogSeries } from '@svc/protocol/merkle/log-name'
import { MirrorDatabase } from './mirror-database.ts'
import { bodyOf, type StoredBody, StoredLog } from './stored-log.ts'
import { StoredMap } from './stored-map.ts'

/** Enough to prove what happened, and bounded whatever a service sends. */
const MAX_EVIDENCE = 100

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS lists (version INTEGER PRIMARY KEY, list TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS logs (
    log_no INTEGER PRIMARY KEY, log TEXT NOT NULL UNIQUE, series TEXT NOT NULL,
    -- Leaves, and leaves with their bodies, that were read. What is beyond the head is not verified yet.
    leaves INTEGER NOT NULL DEFAULT 0, bodies INTEGER NOT NULL DEFAULT 0,
    -- The last verified checkpoint, which alone is served.
    size INTEGER, head TEXT, verified_at INTEGER, is_closed INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TABLE IF NOT EXISTS leaves (
    log_no INTEGER NOT NULL, idx INTEGER NOT NULL, line TEXT NOT NULL, item TEXT, PRIMARY KEY (log_no, idx)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX IF NOT EXISTS leaves_by_item ON leaves (item) WHERE item IS NOT NULL;
  CREATE TABLE IF NOT EXISTS tiles (
    log_no INTEGER NOT NULL, level INTEGER NOT NULL, idx INTEGER NOT NULL, bytes BLOB NOT NULL,
    PRIMARY KEY (log_no, level, idx)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS bodies (
    log_no INTEGER NOT NULL, idx INTEGER NOT NULL, anchor_id TEXT NOT NULL, owner TEXT NOT NULL,
    -- What the leaf commits to, as JSON.
    anchor TEXT NOT NULL,
    PRIMARY KEY (log_no, idx)
  ) STRICT;
  CREATE UNIQUE INDEX IF NOT EXISTS bodies_by_anchor ON bodies (anchor_id);
  CREATE INDEX IF NOT EXISTS bodies_by_owner ON bodies (owner, log_no, idx);
  -- Leaves whose bodies were not shown, until an act of the operator accounts for them.
  CREATE TABLE IF NOT EXISTS missing (log_no INTEGER NOT NULL, idx INTEGER NOT NULL, PRIMARY KEY (log_no, idx)) STRICT;
  -- What the operator withholds, and where the logs say so.
  CREATE TABLE IF NOT EXISTS withheld (
    leaf TEXT PRIMARY KEY, log_no INTEGER NOT NULL, idx INTEGER NOT NULL,
    -- Of an anchor whose body the mirror had.
    anchor_id TEXT,
    ground TEXT NOT NULL, day TEXT NOT NULL, act_log_no INTEGER NOT NULL, act_idx INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS withheld_by_anchor ON withheld (anchor_id) WHERE anchor_id IS NOT NULL;
  CREATE INDEX IF NOT EXISTS withheld_by_place ON withheld (log_no, idx);
  CREATE TABLE IF NOT EXISTS map_pages (
    bucket INTEGER NOT NULL, digits TEXT NOT NULL, slots BLOB NOT NULL, PRIMARY KEY (bucket, digits)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS pages (
    at INTEGER NOT NULL, bucket INTEGER NOT NULL, number INTEGER NOT NULL, start TEXT, page TEXT NOT NULL,
    is_last INTEGER NOT NULL, PRIMARY KEY (at, bucket, number)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS publications (
    no INTEGER PRIMARY KEY, leaf TEXT NOT NULL, nonce TEXT NOT NULL UNIQUE, publication TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS publications_by_leaf ON publications (leaf, no);
  CREATE TABLE IF NOT EXISTS evidence (
    id INTEGER PRIMARY KEY, source TEXT NOT NULL, reason TEXT NOT NULL, at INTEGER NOT NULL, known TEXT NOT NULL,
    shown TEXT NOT NULL
  ) STRICT;`

export interface Evidence {
  /** Which service: `discovery`, `core`, `keys` or `consent`. */
  readonly source: string
  readonly reason: string
  /** When the mirror saw it, epoch ms. */
  readonly at: number
  /** What was verified before, and what was shown. */
  readonly known: unknown
  readonly shown: unknown
}

/** What a mirror has. Only what a verified checkpoint covers is served. */
export class MirrorStore extends MirrorDatabase {
  /** The newest map of accounts that was recomputed from verified leaves. */
  readonly map = new StoredMap(this)

  constructor(path: string) {
    super(path, SCHEMA)
  }

  /** The list that clients follow to, or null before the first visit. */
  newestList(): SignedLogList | null {
    return listOf(this.get('SELECT list FROM lists ORDER BY version DESC LIMIT 1'))
  }

  list(version: number): SignedLogList | null {
    return listOf(this.get('SELECT list FROM lists WHERE version = ?', version))
  }

  putLists(lists: readonly SignedLogList[]): void {
    this.transact(() => {
      for (const list of lists)
        this.run(
          'INSERT INTO lists (version, list) VALUES (?, ?) ON CONFLICT DO NOTHING',
          list.statement.version,
          JSON.stringify(list),
        )
    })
  }

  /** A log by its name, made if it is new. */
  log(log: string, series: LogSeries): StoredLog {
    this.run('INSERT INTO logs (log, series) VALUES (?, ?) ON CONFLICT DO NOTHING', log, series)
    const found = this.findLog(log)
    if (!found) throw new Error(`${log} was not stored`)
    return found
  }

  findLog(log: string): StoredLog | null {
    const row = this.get('SELECT log_no FROM logs WHERE log = ?', log)
    return row && new StoredLog(this, log, Number(row['log_no']))
  }

  /** The logs with a verified checkpoint, in the order in which the mirror learned of them. */
  logs(series?: LogSeries): StoredLog[] {
    return this.all(
      'SELECT log, log_no FROM logs WHERE head IS NOT NULL AND (?1 IS NULL OR series = ?1) ORDER BY log_no',
      series ?? null,
    ).map((row) => new StoredLog(this, String(row['log']), Number(row['log_no'])))
  }

  /** An anchor and its log, if a verified checkpoint covers it. */
  anchor(anchorId: string): { readonly log: StoredLog; readonly body: StoredBody } | null {
    const row = this.get(
      'SELECT log, log_no, idx, anchor FROM bodies JOIN logs USING (log_no) WHERE anchor_id = ? AND idx < size',
      anchorId,
    )
    return row && { log: new StoredLog(this, String(row['log']), Number(row['log_no'])), body: bodyOf(row) }
  }

  /** Of an anchor that was withheld after the mirror had it. */
  withheldAs(anchorId: string): WithheldNotice | null {
    const row = this.get(
      `SELECT leaf, ground, day, log, act_idx FROM withheld JOIN logs ON logs.log_no = act_log_no WHERE anchor_id = ?`,
      anchorId,
    )
    if (!row) return null
    const position = { log: String(row['log']), index: Number(row['act_idx']) }
    return withheldNoticeSchema.parse({ leaf: row['leaf'], ground: row['ground'], day: row['day'], position })
  }

  /** How many anchors of a log are withheld. */
  withheldIn(log: string): number {
    const row = this.get('SELECT count(*) AS withheld FROM withheld JOIN logs USING (log_no) WHERE log = ?', log)
    return Number(row?.['withheld'] ?? 0)
  }

  /** Where an update is, if a verified checkpoint covers it. */
  locate(item: string): { readonly log: StoredLog; readonly index: number; readonly line: string } | null {
    const row = this.get(
      `SELECT log, log_no, idx, line FROM leaves JOIN logs USING (log_no) WHERE item = ? AND idx < size`,
      item,
    )
    if (!row) return null
    const log = new StoredLog(this, String(row['log']), Number(row['log_no']))
    return { log, index: Number(row['idx']), line: String(row['line']) }
  }

  /** The updates of an account that a verified checkpoint covers, in order. */
  updatesOf(label: string): UpdateEntry[] {
    const [from, to] = itemsOf(label)
    return this.all(
      `SELECT line FROM leaves JOIN logs USING (log_no) WHERE item >= ? AND item < ? AND idx < size
       ORDER BY log_no, idx`,
      from,
      to,
    ).flatMap(({ line }) => updateEntryOf(String(line)) ?? [])
  }

  /** Verified reports of the publisher about an anchor, in order. */
  publicationsOf(anchor: LoggedAnchor): SignedPublication[] {
    return this.all(
      'SELECT publication FROM publications WHERE leaf = ? ORDER BY no LIMIT ?',
      anchorLeafOf(anchor),
      MAX_ANCHOR_PUBLICATIONS,
    ).map(({ publication }) => JSON.parse(String(publication)) as SignedPublication)
  }

  keepEvidence({ source, reason, at, known, shown }: Evidence): void {
    this.run(
      `INSERT INTO evidence (source, reason, at, known, shown) SELECT ?1, ?2, ?3, ?4, ?5
       WHERE (SELECT count(*) FROM evidence) < ?6
         AND NOT EXISTS (SELECT 1 FROM evidence WHERE source = ?1 AND reason = ?2 AND shown = ?5)`,
      source,
      reason,
      at,
      JSON.stringify(known ?? null),
      JSON.stringify(shown ?? null),
      MAX_EVIDENCE,
    )
  }

  evidence(): Evidence[] {
    return this.all('SELECT source, reason, at, known, shown FROM evidence ORDER BY id').map((row) => ({
      source: String(row['source']),
      reason: String(row['reason']),
      at: Number(row['at']),
      known: JSON.parse(String(row['known'])) as unknown,
      shown: JSON.parse(String(row['shown'])) as unknown,
    }))
  }
}

function listOf(row: Record<string, unknown> | null): SignedLogList | null {
  return row && (JSON.parse(String(row['list'])) as SignedLogList)
}

/** The ids of the updates of an account lie between these: a hyphen follows the label, and a full stop comes after it. */
export function itemsOf(label: string): readonly [string, string] {
  return [`${label}-`, `${label}.`]
}
