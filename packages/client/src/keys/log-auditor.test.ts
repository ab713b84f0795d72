import { labels } from '@svc/protocol/keys/account-labels.fixture'
import { leafIdOf, updateLine } from '@svc/protocol/keys/account-updates'
import type { SignedLogList } from '@svc/protocol/merkle/log-list'
import {
  type FixtureLog,
  ISSUED_AT,
  keysOf,
  listSigners,
  nextListSigners,
  REALM,
  type RolledLog,
  rolledLog,
  signedList,
} from '@svc/protocol/merkle/rolled-log.fixture'
import { beforeAll, describe, expect, it } from 'vitest'
import { fetchOf } from '../../test/fetch.ts'
import { Transport } from '../transport/transport.ts'
import { LogAuditor } from './log-auditor.ts'

const label = labels.labelOf(`did:svc:${'A'.repeat(32)}`)
const updates = [1, 2, 3].map((seq) => ({ label, seq, statementHash: `${seq}`.repeat(96) }))
const [one, two, three] = updates.map(updateLine) as [string, string, string]
const UNKNOWN = '{"kind":"unknown to this reader"}'
let rolled: RolledLog
beforeAll(async () => {
  rolled = await rolledLog('transparency', [[one, UNKNOWN, two], [three]])
})

interface Served {
  readonly logs: readonly FixtureLog[]
  readonly list: SignedLogList
  /** The number of leaves that the open log shows. */
  readonly size?: number
}

/** A directory that serves these logs. */
function auditorOf({ logs, list, size }: Served, listKeys = keysOf(listSigners)): LogAuditor {
  const answer = async (url: URL): Promise<unknown> => {
    const [path = '', id = ''] = url.pathname.replace('/api/transparency/', '').split('/')
    const log = logs.find((served) => served.log === url.searchParams.get('log')) ?? logs.at(-1)!
    const shown = log === logs.at(-1) ? (size ?? log.lines.length) : log.lines.length
    if (path === 'logs') return { list, earlier: [] }
    const checkpoint = await log.checkpoint(shown)
    if (path === 'checkpoint') return { checkpoint, cosignatures: [] }
    if (path === 'entries') return { log: log.log, from: 0, entries: log.lines.slice(0, shown), size: shown }
    if (path === 'audit') {
      const [first = 0, second = 0] = id.split('-').map(Number)
      return { log: log.log, first, second, proof: log.consistency(first, second), checkpoint }
    }
    const holder = logs.find(({ lines }) => lines.some((line) => line.includes(id.slice(65))))!
    const index = holder.lines.findIndex((line) => line.includes(id.slice(65)))
    const position = { log: holder.log, index }
    const { seq } = JSON.parse(holder.lines[index]!) as { seq: number }
    return { leafId: id, seq, position, proof: holder.inclusion(index), checkpoint: await holder.checkpoint() }
  }
  const fetch = async (request: Request) =>
    Response.json({ success: true, data: await answer(new URL(request.url)), timestamp: 1 })
  return new LogAuditor(
    new Transport({ realm: REALM, fetch: fetchOf(fetch), now: () => ISSUED_AT + 1_000 }),
    'https://keys.test',
    listKeys,
  )
}

const honest = (): Served => ({ logs: [rolled.first, rolled.second], list: rolled.list })
const reasonOf = async (auditor: LogAuditor, from: Parameters<LogAuditor['follow']>[0] = null) => {
  const visit = await auditor.safeFollow(from)
  return visit.ok ? 'holds' : visit.error.reason
}

describe('an auditor of a rolled log', () => {
  it('follows it from the first period into the second, with entries that it does not know', async () => {
    const visit = await auditorOf(honest()).safeFollow(null)
    if (!visit.ok) throw visit.error
    expect(visit.value.updates.map(({ seq }) => seq)).toEqual([1, 2, 3])
    expect(visit.value.others).toHaveLength(4)
    expect(visit.value.others).toContain(UNKNOWN)
    expect(visit.value.state.checkpoint.statement.log).toBe(rolled.second.log)
    expect(await reasonOf(auditorOf(honest()), visit.value.state)).toBe('holds')
  })

  it('tells how many entries it has read, of every period', async () => {
    const told: { done: number; total: number | null }[] = []
    await auditorOf(honest()).follow(null, { onProgress: (progress) => told.push(progress) })
    expect(told.at(-1)).toEqual({ done: 7, total: 7 })
    expect(told.map(({ done }) => done)).toEqual(told.map(({ done }) => done).toSorted((a, b) => a - b))
  })

  it('goes on from a visit before the roll', async () => {
    const { first } = rolled
    const before = await signedList({ logs: [{ ...rolled.list.statement.logs[0]!, state: 'open', final: null }] })
    const visit = await auditorOf({ logs: [first], list: before, size: 3 }).safeFollow(null)
    if (!visit.ok) throw visit.error
    const state = { ...visit.value.state, list: rolled.list }
    const later = await auditorOf(honest()).safeFollow(state)
    expect(later.ok && later.value.updates.map(({ seq }) => seq)).toEqual([2, 3])
  })

  it('finds an update of either period by its leaf id', async () => {
    for (const { statementHash } of updates) {
      expect(await auditorOf(honest()).safeFind(leafIdOf(label, statementHash))).toMatchObject({ ok: true })
    }
  })

  it('refuses a final root that the entries do not have', async () => {
    const other = await rolledLog('transparency', [[one, two], [three]])
    const served = { logs: [{ ...other.first, checkpoint: rolled.first.checkpoint }, rolled.second], list: rolled.list }
    expect(['rewritten', 'missing_leaf']).toContain(await reasonOf(auditorOf(served)))
  })

  it('refuses a log without a closing leaf, and one whose next log continues another end', async () => {
    const unclosed = await rolledLog('transparency', [[one], [two]], { close: null })
    expect(await reasonOf(auditorOf({ logs: [unclosed.first, unclosed.second], list: unclosed.list }))).toBe(
      'missing_close',
    )
    const astray = await rolledLog('transparency', [[one], [two]], { previous: { root: 'a7'.repeat(48) } })
    expect(await reasonOf(auditorOf({ logs: [astray.first, astray.second], list: astray.list }))).toBe('wrong_open')
  })

  it('refuses a head that went back, and a log that is not listed', async () => {
    const visit = await auditorOf(honest()).safeFollow(null)
    if (!visit.ok) throw visit.error
    expect(await reasonOf(auditorOf({ ...honest(), size: 1 }), visit.value.state)).toBe('shrunk')
    const only = await signedList({ logs: [rolled.list.statement.logs[0]!] })
    const state = { ...visit.value.state, list: only }
    expect(await reasonOf(auditorOf({ ...honest(), list: only }), state)).toBe('unlisted_log')
  })

  it('refuses a list by other keys', async () => {
    expect(await reasonOf(auditorOf(honest(), keysOf(nextListSigners)))).toBe('threshold_not_met')
  })

  it('refuses updates that are repeated or out of order', async () => {
    for (const [lines, reason] of [
      [[one, one], 'repeated_leaf'],
      [[one, three], 'out_of_order'],
    ] as const) {
      const wrong = await rolledLog('transparency', [lines, []])
      expect(await reasonOf(auditorOf({ logs: [wrong.first, wrong.second], list: wrong.list }))).toBe(reason)
    }
  })
})
