import type { Identity } from '@svc/client'
import { reportPublication } from '@svc/operations/publication'
import { rebuildAnchors } from '@svc/operations/rebuild-anchors'
import type { Platform } from '@svc/platform'
import { Person } from '@svc/platform/callers/person'
import { anchorRecordSchema } from '@svc/protocol/ledger/anchors'
import { submissions } from '../anchors.ts'
import type { Figure } from '../figure.ts'
import { sendAll } from '../load.ts'

const ROWS = 100_000
const ROWS_AT_ONCE = 10_000
const OWNERS = 10_000
const IDENTITIES = 8
const ANCHORS = 64
const PUBLISHED = 4
/** Of no real log: its rows are deleted again. */
const LOG = 'bench'
const STATE_PROOF = '/state-proof'
const TABLES = ['anchors', 'anchor_logs', 'anchor_publications', 'anchor_publication_nonces']

type Database = Awaited<ReturnType<Platform['miniflare']['getD1Database']>>

/** The index of anchors in D1: how much it keeps of each, and whether anybody notices that it was lost and rebuilt. */
export async function measureAnchorIndex(platform: Platform): Promise<Figure[]> {
  const db = await platform.miniflare.getD1Database('DB', 'svc-core')
  return [await measureBytes(db), await measureRebuild(platform, db)]
}

/** Rows of the form that the service writes, with random ids and owners in random order. */
async function measureBytes(db: Database): Promise<Figure> {
  const before = await bytesOf(db)
  try {
    await db.prepare('INSERT INTO anchor_logs (log) VALUES (?)').bind(LOG).run()
    for (let from = 0; from < ROWS; from += ROWS_AT_ONCE) await fill(db, from, from + ROWS_AT_ONCE)
    const bytes = (await bytesOf(db)) - before
    return {
      name: 'bytes in D1 for an anchor',
      ratio: bytes / ROWS,
      bar: { limit: 300, good: 'at most' },
      detail: `${bytes} / ${ROWS} anchors of ${OWNERS} owners, with their indexes`,
    }
  } finally {
    await db
      .prepare('DELETE FROM anchors WHERE log_no IN (SELECT log_no FROM anchor_logs WHERE log = ?)')
      .bind(LOG)
      .run()
    await db.prepare('DELETE FROM anchor_logs WHERE log = ?').bind(LOG).run()
  }
}

async function fill(db: Database, from: number, to: number): Promise<void> {
  await db
    .prepare(
      `WITH RECURSIVE n (i) AS (SELECT ?2 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?3)
       INSERT INTO anchors (log_no, idx, anchor_id, owner, root, epoch, created_at, attested_bytes, salt)
       SELECT (SELECT log_no FROM anchor_logs WHERE log = ?1), i, randomblob(24),
         unhex(printf('%016x', abs(random()) % ?4) || printf('%032x', 0)), randomblob(48), '2027-01-01', 1798761600000, 7300,
         randomblob(16) FROM n`,
    )
    .bind(LOG, from, to, OWNERS)
    .run()
}

async function bytesOf(db: Database): Promise<number> {
  return (await db.prepare('SELECT 1').run()).meta.size_after
}

/** What everybody reads of anchors, before the index is emptied and after the operator has rebuilt it from R2. */
async function measureRebuild({ urls, secrets }: Platform, db: Database): Promise<Figure> {
  const { core } = urls
  const owners: Identity[] = []
  for (let i = 0; i < IDENTITIES; i++) owners.push((await Person.create(core)).identity)
  const submitted = await sendAll(await submissions(core, owners, 0, ANCHORS), IDENTITIES, 200)
  const ids = submitted.map(({ body }) => anchorRecordSchema.parse(JSON.parse(body.toString())).anchorId)
  for (const [i, anchorId] of ids.slice(0, PUBLISHED).entries()) {
    const state = i % 2 === 0 ? 'published' : 'confirmed'
    const publication = { anchorId, chain: 'example-ledger', tx: `0x${i}`, state } as const
    await reportPublication({ core, did: urls.did, realm: core }, publication, secrets.publisherSeed)
  }
  const paths = [
    '?limit=500',
    '?limit=500&attestations=omit',
    ...['submitted', 'published', 'confirmed'].map((status) => `?status=${status}`),
    ...owners.map(({ did }) => `?owner=${did}`),
    ...ids.flatMap((id) => [`/${id}`, `/${id}/bundle`]),
    STATE_PROOF,
  ]
  const before = await answers(core, paths)
  const { results: logs } = await db.prepare('SELECT log FROM anchor_logs ORDER BY log_no').all<{ log: string }>()
  for (const table of TABLES) await db.prepare(`DELETE FROM ${table}`).run()
  const gone = await answers(core, ['?limit=500'])
  if (gone[0] === before[0]) throw new Error('the index was not emptied')
  for (const { log } of logs) {
    const status = await rebuildAnchors({ service: core, realm: core }, secrets.operatorSeed, log, () => {})
    if (status !== 0) throw new Error(`${log} was not rebuilt`)
  }
  const after = await answers(core, paths)
  const same = after.filter((answer, i) => answer === before[i]).length
  return {
    name: 'identical answers after the index was emptied and rebuilt / answers',
    ratio: same / paths.length,
    bar: { limit: 1, good: 'at least' },
    detail: `${same} / ${paths.length} pages, records, bundles and state proofs`,
  }
}

/** Without what is made anew for every answer: the time of a state proof, and the checkpoint of a bundle. */
async function answers(core: string, paths: readonly string[]): Promise<string[]> {
  const read: string[] = []
  for (const path of paths) {
    const [answer] = await sendAll([{ method: 'GET', url: `${core}/api/anchors${path}` }], 1, 200)
    const { checkpoint: _, ...lasting } = JSON.parse(answer?.body.toString() ?? '{}') as Record<string, unknown>
    read.push(JSON.stringify(path === STATE_PROOF ? { ...lasting, createdAt: null } : lasting))
  }
  return read
}
