import { type AuditReport, LogAuditor } from '@svc/client/audit'
import { mlDsa65 } from '@svc/client/functions'
import { signStatement } from '@svc/protocol/base/statement'
import { mapEntryOf } from '@svc/protocol/keys/account-map'
import type { DirectoryCheckpoint } from '@svc/protocol/keys/transparency'
import { describe, expect, it } from 'vitest'
import { publishedDevice } from '../directory/directory.fixture.ts'
import { BASE, caller, send } from '../harness.ts'
import { LIST_KEYS, LOG_KEY, LOG_SEED, leavesOf, logged, submit, transport } from './log.fixture.ts'

const honest = new LogAuditor(transport(), BASE, LIST_KEYS)

interface Shown {
  checkpoint?: DirectoryCheckpoint
  entries?: string[]
  proof?: string[]
}

/** The real log, whose operator holds the key and changes what it shows under a path. */
function lying(path: string, change: (data: Shown) => unknown): LogAuditor {
  const fetch = async (request: Request) => {
    const response = await send(request)
    if (!new URL(request.url).pathname.includes(path)) return response
    const body = await response.json<{ data: Shown }>()
    await change(body.data)
    return Response.json(body, { status: response.status })
  }
  return new LogAuditor(transport(fetch), BASE, LIST_KEYS)
}

/** A checkpoint that the log's own key has signed over something else. */
const resigned = (members: object) => async (data: Shown) => {
  const { checkpoint } = data
  if (!checkpoint) throw new Error('no checkpoint')
  const statement = { ...checkpoint.statement, ...members }
  Object.assign(checkpoint, await signStatement(statement, (message) => mlDsa65.sign(LOG_SEED, message)))
}
const faultOf = async (auditor: LogAuditor, from: Parameters<LogAuditor['follow']>[0]) => {
  const visit = await auditor.safeFollow(from)
  return visit.ok ? 'holds' : visit.error.reason
}

const isNoMap = (line: string) => mapEntryOf(line) === null
const leafIds = ({ updates }: Pick<AuditReport, 'updates'>) =>
  updates.map(({ label, statementHash }) => `${label}-${statementHash}`)

describe('an auditor of the log', async () => {
  it('follows it from the beginning, and from where it was', async () => {
    const leaves = leavesOf(0, 600)
    await submit(leaves)
    const first = await honest.safeFollow(null)
    if (!first.ok) throw first.error
    expect(leafIds(first.value)).toEqual(expect.arrayContaining(leaves.map(({ leafId }) => leafId)))
    expect(first.value.others.filter(isNoMap)).toHaveLength(1)
    const published = await publishedDevice(await caller(), { count: 1 })
    await logged(published.owner)
    const kept = JSON.parse(JSON.stringify(first.value.state)) as typeof first.value.state
    expect(kept.frontier.length).toBeLessThanOrEqual(10)
    const second = await honest.safeFollow(kept)
    if (!second.ok) throw second.error
    expect(leafIds(second.value)).toContain(published.package.leafId)
    expect(leafIds(second.value)).not.toContain(leaves[0]?.leafId)
    expect(second.value.others.filter(isNoMap)).toEqual([])
    expect(await faultOf(honest, second.value.state)).toBe('holds')
    const found = await honest.safeFind(published.package.leafId)
    if (!found.ok) throw found.error
    expect(await honest.safeFind(`${'0'.repeat(64)}-${'0'.repeat(96)}`)).toMatchObject({
      ok: false,
      error: { reason: 'missing_leaf' },
    })
  })

  it('finds every way in which it could lie', async () => {
    const visit = await honest.safeFollow(null)
    if (!visit.ok) throw visit.error
    const { state } = visit.value
    await submit(leavesOf(600, 3))
    const root = 'a7'.repeat(48)
    const { size } = state.checkpoint.statement
    const { publicKeyB64u, statement } = state.checkpoint
    expect(publicKeyB64u).toBe(LOG_KEY)
    // A signature that is not the log's, another log, and one that has forgotten leaves.
    expect(
      await faultOf(
        lying('/checkpoint', ({ checkpoint }) => Object.assign(checkpoint!.statement, { root })),
        null,
      ),
    ).toBe('invalid_signature')
    expect(await faultOf(lying('/checkpoint', resigned({ log: 'https://other.test' })), state)).toBe('wrong_log')
    expect(await faultOf(lying('/checkpoint', resigned({ size: size - 1 })), state)).toBe('shrunk')
    // Signed by the right key, and another history: of the same size, or of a larger one.
    expect(await faultOf(lying('/checkpoint', resigned({ size, root })), state)).toBe('fork')
    expect(await faultOf(lying('/checkpoint', resigned({ root })), state)).toBe('fork')
    expect(await faultOf(lying('/checkpoint', resigned({ root })), null)).toBe('rewritten')
    // An entry that was changed, left out, or put in twice.
    expect(
      await faultOf(
        lying('/entries/', ({ entries }) => entries!.splice(5, 1, '{"kind":"other"}')),
        null,
      ),
    ).toBe('rewritten')
    expect(
      await faultOf(
        lying('/entries/', ({ entries }) => entries!.splice(0, 1, '{"kind":"other"}')),
        null,
      ),
    ).toBe('wrong_open')
    expect(
      await faultOf(
        lying('/entries/', (data) => Object.assign(data, { entries: [] })),
        null,
      ),
    ).toBe('missing_leaf')
    expect(
      await faultOf(
        lying('/entries/2', ({ entries }) => entries!.pop()),
        null,
      ),
    ).toBe('missing_leaf')
    expect(
      await faultOf(
        lying('/audit/', (data) => Object.assign(data, { proof: [] })),
        state,
      ),
    ).toBe('fork')
    const [{ leafId } = { leafId: '' }] = leavesOf(0, 1)
    const swapped = lying('/entries/', (data) => Object.assign(data, { entries: data.entries!.toReversed() }))
    expect(await swapped.safeFind(leafId)).toMatchObject({ ok: false, error: { reason: 'missing_leaf' } })
    expect(await faultOf(honest, state)).toBe('holds')
    expect(statement.size).toBe(size)
  }, 30_000)
})
