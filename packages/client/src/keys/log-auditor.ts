import * as z from 'zod'
import { fromHex, toHex } from '#protocol/base/hash'
import { pure } from '#protocol/base/pure'
import type { Result } from '#protocol/base/result'
import { leafIdOf, olderAgreement, type UpdateEntry, updateEntryOf } from '#protocol/keys/account-updates'
import type { SignedCosignature } from '#protocol/keys/cosignature'
import {
  auditAnswerSchema,
  checkpointAnswerSchema,
  type DirectoryCheckpoint,
  entriesAnswerSchema,
  inclusionAnswerSchema,
  signedDirectoryCheckpointSchema,
} from '#protocol/keys/transparency'
import { entryHash } from '#protocol/merkle/entries'
import { verifyEnd, verifyExtension, verifyInLog, verifyListedCheckpoint, verifyOpening } from '#protocol/merkle/in-log'
import { frontierNames, MerkleLog, type MerkleNode } from '#protocol/merkle/log'
import {
  type ListedLog,
  type ListedLogs,
  type ListKeys,
  listedLog,
  type SignedLogList,
  signedLogListSchema,
} from '#protocol/merkle/log-list'
import { checkCall } from '../arguments/check.ts'
import { TrustedLogs } from '../logs/trusted-logs.ts'
import type { OnProgress } from '../transport/progress.ts'
import { ServiceError } from '../transport/service-error.ts'
import type { Transport } from '../transport/transport.ts'
import type { VerificationReason } from '../verification/reasons.ts'
import { safeTwin } from '../verification/safe.ts'
import { unverified, type VerificationError, type Where } from '../verification/verification-error.ts'
import { AuditedMap, type MapFault } from './audited-map.ts'

const BUNDLE = 256

/** What an auditor stores between visits: the list, its position, and the roots of the complete subtrees up to there. */
export const auditStateSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({
    list: signedLogListSchema,
    checkpoint: signedDirectoryCheckpointSchema,
    frontier: z.array(z.strictObject({ level: z.int(), index: z.int(), hash: z.string() })),
  }),
)
export type AuditState = z.infer<typeof auditStateSchema>

export interface AuditReport {
  readonly state: AuditState
  /** Every update added since the last visit, in the order of each log. */
  readonly updates: readonly UpdateEntry[]
  /** The other entries since then, as they were logged: maps, what opens and closes logs, and kinds that this SDK does not know. */
  readonly others: readonly string[]
  /** What was verified: that the log only grew, or also that each of its maps follows from the entries. */
  readonly verifies: Verifies
}

export type Verifies = SignedCosignature['statement']['verifies']

interface Visit {
  readonly list: SignedLogList
  readonly updates: UpdateEntry[]
  readonly others: string[]
  /** The visit before: what is read again up to there is not reported again. */
  readonly from: AuditState | null
  readonly map: AuditedMap | null
  /** Entries so far. */
  read: number
  readonly onProgress: OnProgress | undefined
}

/**
 * Follows the log of a key directory without trusting it: recomputes the tree from the entries, from one period to the
 * next. A fault is permanent: the `evidence` of the error has the signed checkpoints to keep.
 */
export class LogAuditor {
  // As results: see `safely`.
  readonly safeFollow = safeTwin(this, 'follow')
  readonly safeFind = safeTwin(this, 'find')

  readonly #transport: Transport
  readonly #base: string
  readonly #listKeys: ListKeys | undefined
  readonly #verifies: Verifies
  /** The map of all accounts at the end of the last visit. It is recomputed after a start. */
  #known: { readonly map: AuditedMap; readonly state: AuditState } | null = null

  /**
   * `listKeys` are the keys of the log list, from another source; without them, the first visit trusts what it sees.
   * An auditor of maps reads all entries at its first visit and keeps some 0.5 kB per account in memory; `log` does
   * without.
   */
  constructor(transport: Transport, keys: string, listKeys?: ListKeys, verifies: Verifies = 'log+map') {
    checkCall('new LogAuditor', [transport, keys, listKeys, verifies], ['transport', 'keys', 'listKeys?', 'verifies?'])
    this.#verifies = verifies
    this.#transport = transport
    this.#base = `${keys}/api/transparency`
    this.#listKeys = listKeys
  }

  /**
   * From an earlier visit, or the beginning of the first log, to the end of the open one. Throws a `VerificationError` if
   * the log was shortened, rewritten, forked or padded since. `onProgress` is told in entries, of all logs up to the one
   * that is being read.
   */
  async follow(from: AuditState | null, options: { readonly onProgress?: OnProgress } = {}): Promise<AuditReport> {
    checkCall('logAuditor.follow', [from, options], ['from', ['options?', { onProgress: 0 }]])
    const { onProgress } = options
    const known = this.#known
    const isKnown = from !== null && known !== null && isSamePlace(known.state, from)
    const map = this.#verifies === 'log' ? null : isKnown ? known.map : new AuditedMap()
    const visit: Visit = { list: await this.#newestList(from), updates: [], others: [], from, map, read: 0, onProgress }
    const seen = from?.checkpoint.statement.log
    if (seen !== undefined && !listedLog(visit.list.statement, seen))
      throw fault('unlisted_log', { log: seen }, visit.list.statement)
    // Without the map of the visit before, all entries are read again.
    const start = map === null || isKnown ? from : null
    for (let log = start?.checkpoint.statement.log ?? firstLog(visit.list), at = start; ; at = null) {
      const { state, next } = await this.#read(log, at, visit)
      if (!next) {
        if (map) this.#known = { map, state }
        return reportOf(state, visit, this.#verifies)
      }
      log = next.log
    }
  }

  /** Proves that an update is in the log by its `leafId`: position and path lead to the entry, and the entry has that id. */
  async find(leafId: string): Promise<UpdateEntry> {
    checkCall('logAuditor.find', [leafId], ['leafId'])
    const { statement: list } = await this.#newestList(null)
    const answer = await this.#get(`proof/${leafId}`, inclusionAnswerSchema).catch((error: unknown) => {
      if (error instanceof ServiceError && error.error === 'not_found') return null
      throw error
    })
    if (!answer) throw fault('missing_leaf', {})
    const { log, index } = answer.position
    const where = { log, position: index }
    const [line = ''] = await this.#entriesFrom(log, index, index + 1)
    const update = updateEntryOf(line)
    if (!update || leafIdOf(update.label, update.statementHash) !== leafId) throw fault('missing_leaf', where, answer)
    const proved = await verifyInLog(entryHash(line), answer, list, this.#transport.realms)
    if (proved.ok) return update
    const { reason } = proved.error
    throw fault(reason === 'not_included' ? 'rewritten' : reason, where, answer)
  }

  /** One log from a known state, or its beginning, to its end; with the log that continues it, if it was closed. */
  async #read(
    log: string,
    known: AuditState | null,
    visit: Visit,
  ): Promise<{ readonly state: AuditState; readonly next: ListedLog | null }> {
    const list = visit.list.statement
    const checkpoint = await this.#checkpointOf(log, visit.list)
    const { size, root } = checkpoint.statement
    // What is read again for its maps must still extend what was seen.
    const seen = visit.from?.checkpoint.statement
    const before = seen?.log === log ? visit.from : null
    const evidence = { known: before?.checkpoint ?? null, checkpoint }
    if (before && size < before.checkpoint.statement.size) throw fault('shrunk', { log, position: size }, evidence)
    if (before && !(await this.#extends(before.checkpoint, checkpoint)))
      throw fault('fork', { log, position: size }, evidence)

    const isReported = (at: number) => (seen?.log === log ? at >= seen.size : !isBefore(log, seen?.log, list))
    const nodes = new Map((known?.frontier ?? []).map((node) => [nameOf(node), fromHex(node.hash)]))
    const tree = new MerkleLog((level, index) => nodes.get(nameOf({ level, index })) ?? new Uint8Array())
    let last: string | null = null
    let wrong: { readonly reason: MapFault; readonly place: Where; readonly line: string } | null = null
    for (let at = known?.checkpoint.statement.size ?? 0; at < size; ) {
      const found = await this.#entriesFrom(log, at, size)
      if (found.length === 0) throw fault('missing_leaf', { log, position: at }, evidence)
      // If the visit ends early, the map has some of the entries: it is then recomputed.
      this.#known = null
      for (const line of found) {
        for (const node of tree.append(at, entryHash(line))) nodes.set(nameOf(node), node.hash)
        if (at === 0) sound(verifyOpening(log, line, list), { log, position: 0 }, line)
        const update = updateEntryOf(line)
        const place = { log, position: at }
        const reason = visit.map?.take(line, update, place) ?? null
        if (reason) wrong ??= { reason, place, line }
        if (isReported(at)) {
          if (update) visit.updates.push(update)
          else visit.others.push(line)
        }
        last = line
        at += 1
      }
      keepFrontier(nodes, at)
      visit.read += found.length
      visit.onProgress?.({ done: visit.read, total: visit.read + size - at })
    }
    if (toHex(tree.root(size)) !== root) throw fault('rewritten', { log, position: size }, evidence)
    // Now the entries are those that the log has signed.
    if (wrong) throw fault(wrong.reason, wrong.place, { line: wrong.line, checkpoint })
    const state = { list: visit.list, checkpoint, frontier: frontierOf(nodes, size) }
    if (size === 0) return { state, next: null }
    const end = verifyEnd({ log, size, root }, last ?? (await this.#lineAt(log, size - 1)), list)
    return { state, next: sound(end, { log, position: size }, evidence).next }
  }

  /** A closed log ends with the checkpoint of the list; the service is asked for that of the open one. */
  async #checkpointOf(log: string, { statement }: SignedLogList): Promise<DirectoryCheckpoint> {
    const listed = listedLog(statement, log)
    if (!listed) throw fault('unlisted_log', { log }, statement)
    const { final } = listed
    if (final?.statement.type === 'svc/transparency-checkpoint/v1') return final as DirectoryCheckpoint
    const { checkpoint } = await this.#get(`checkpoint${ofLog(log)}`, checkpointAnswerSchema)
    if (checkpoint.statement.log !== log) throw fault('wrong_log', { log }, checkpoint)
    sound(await verifyListedCheckpoint(checkpoint, statement, this.#transport.realms), { log }, checkpoint)
    return checkpoint
  }

  #newestList(from: AuditState | null): Promise<SignedLogList> {
    const options = from ? { list: from.list } : { listKeys: this.#listKeys }
    return new TrustedLogs(this.#transport, `${this.#base}/logs`, options).newest()
  }

  async #extends(earlier: DirectoryCheckpoint, later: DirectoryCheckpoint): Promise<boolean> {
    const { publicKeyB64u } = later
    const [first, second] = [earlier.statement.size, later.statement.size]
    if (first === 0 || first === second) return verifyExtension(earlier, later, [], publicKeyB64u)
    const path = `audit/${first}-${second}${ofLog(later.statement.log)}`
    const { proof } = await this.#get(path, auditAnswerSchema)
    return verifyExtension(earlier, later, proof, publicKeyB64u)
  }

  async #lineAt(log: string, index: number): Promise<string> {
    return (await this.#entriesFrom(log, index, index + 1))[0] ?? ''
  }

  /** The entries of a bundle from an index on, up to `end`; the log may have grown in the meantime. */
  async #entriesFrom(log: string, index: number, end: number): Promise<string[]> {
    const bundle = Math.floor(index / BUNDLE)
    const { from, entries } = await this.#get(`entries/${bundle}${ofLog(log)}`, entriesAnswerSchema)
    return from === bundle * BUNDLE ? entries.slice(index - from, end - from) : []
  }

  #get<S extends z.ZodType>(path: string, schema: S): Promise<z.output<S>> {
    return this.#transport.data({ method: 'GET', url: `${this.#base}/${path}` }, schema)
  }
}

function reportOf(state: AuditState, { updates, others }: Visit, verifies: Verifies): AuditReport {
  const { log } = state.checkpoint.statement
  // A statement is a leaf only once: a log that repeats one is padding its history.
  const ids = new Set(updates.map(({ label, statementHash }) => leafIdOf(label, statementHash)))
  if (ids.size !== updates.length) throw fault('repeated_leaf', { log }, state.checkpoint)
  const seqs = new Map<string, number>()
  for (const update of updates) {
    const { label, seq } = update
    const before = seqs.get(label)
    if (before !== undefined && seq !== before + 1)
      throw fault('out_of_order', { log }, { checkpoint: state.checkpoint, update })
    seqs.set(label, seq)
  }
  // An auditor of maps has compared those of earlier visits too.
  const older = olderAgreement(updates, () => null)
  if (older) throw fault('out_of_order', { log }, { checkpoint: state.checkpoint, update: older })
  return { state, updates, others, verifies }
}

function isSamePlace(a: AuditState, b: AuditState): boolean {
  const [one, other] = [a.checkpoint.statement, b.checkpoint.statement]
  return one.log === other.log && one.size === other.size && one.root === other.root
}

/** Whether a log comes before another one of the series. */
function isBefore(log: string, other: string | undefined, list: ListedLogs): boolean {
  for (let at = other; at !== undefined; at = listedLog(list, at)?.previous?.log) if (at === log) return true
  return false
}

function fault(reason: VerificationReason, where: Where, evidence: unknown = null): VerificationError {
  return unverified('transparency', reason, `The log of the key directory is not sound: ${reason}`, { where, evidence })
}

function sound<T>(checked: Result<T, { readonly reason: VerificationReason }>, where: Where, evidence: unknown): T {
  if (checked.ok) return checked.value
  throw fault(checked.error.reason, where, evidence)
}

const nameOf = ({ level, index }: Pick<MerkleNode, 'level' | 'index'>) => `${level}/${index}`
const ofLog = (log: string) => `?log=${encodeURIComponent(log)}`

/** Where the log begins: the listed log that continues no other. */
function firstLog({ statement }: SignedLogList): string {
  return statement.logs.find(({ series, previous }) => series === 'transparency' && previous === null)?.log ?? ''
}

function frontierOf(nodes: ReadonlyMap<string, Uint8Array>, size: number): AuditState['frontier'] {
  return frontierNames(size).flatMap((name) => {
    const hash = nodes.get(nameOf(name))
    return hash ? [{ ...name, hash: toHex(hash) }] : []
  })
}

function keepFrontier(nodes: Map<string, Uint8Array>, size: number): void {
  const kept = new Set(frontierNames(size).map(nameOf))
  for (const name of nodes.keys()) if (!kept.has(name)) nodes.delete(name)
}
