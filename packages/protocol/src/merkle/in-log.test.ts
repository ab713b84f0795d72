import { beforeAll, describe, expect, it } from 'vitest'
import { REALMS } from '../../test/realm.fixture.ts'
import { closeEntry, entryHash, openEntry } from './entries.ts'
import { verifyEnd, verifyInLog, verifyListedCheckpoint, verifyOpening } from './in-log.ts'
import { type RolledLog, rolledLog, secondKey, signedList } from './rolled-log.fixture.ts'

const BEFORE = ['{"kind":"update","n":1}', '{"kind":"unknown to this reader"}']
const AFTER = ['{"kind":"update","n":2}']
let rolled: RolledLog
let list: RolledLog['list']['statement']

beforeAll(async () => {
  rolled = await rolledLog('transparency', [BEFORE, AFTER])
  list = rolled.list.statement
})

const reasonOf = <T>(result: { ok: true; value: T } | { ok: false; error: { reason: string } }) =>
  result.ok ? 'ok' : result.error.reason

describe('a proof in a rolled log', () => {
  const proofOf = async (which: 'first' | 'second', index: number, size?: number) => {
    const log = rolled[which]
    return {
      position: { log: log.log, index },
      proof: log.inclusion(index, size),
      checkpoint: await log.checkpoint(size),
    }
  }

  it('holds for every leaf of both periods, also of an unknown kind', async () => {
    for (const which of ['first', 'second'] as const) {
      for (const [index, line] of rolled[which].lines.entries()) {
        expect(reasonOf(await verifyInLog(entryHash(line), await proofOf(which, index), list, REALMS))).toBe('ok')
      }
    }
  })

  it('that was made before the roll still holds after it', async () => {
    const made = await proofOf('first', 1, 2)
    expect(reasonOf(await verifyInLog(entryHash(BEFORE[0]!), made, list, REALMS))).toBe('ok')
  })

  it('does not hold for another leaf, index or log', async () => {
    const proof = await proofOf('first', 1)
    expect(reasonOf(await verifyInLog(entryHash(BEFORE[1]!), proof, list, REALMS))).toBe('not_included')
    const shifted = { ...proof, position: { ...proof.position, index: 2 } }
    expect(reasonOf(await verifyInLog(entryHash(BEFORE[0]!), shifted, list, REALMS))).toBe('not_included')
    const moved = { ...proof, position: { log: rolled.second.log, index: 1 } }
    expect(reasonOf(await verifyInLog(entryHash(BEFORE[0]!), moved, list, REALMS))).toBe('wrong_log')
  })

  it('does not hold in a log that is not listed', async () => {
    const only = (await signedList({ logs: [list.logs[0]!] })).statement
    const proof = await proofOf('second', 1)
    expect(reasonOf(await verifyInLog(entryHash(AFTER[0]!), proof, only, REALMS))).toBe('unlisted_log')
  })

  it('refuses a checkpoint by another key, of another series, or past the final one', async () => {
    const { first } = rolled
    const verify = async (checkpoint: Awaited<ReturnType<typeof first.checkpoint>>) =>
      reasonOf(await verifyListedCheckpoint(checkpoint, list, REALMS))
    expect(await verify(await first.checkpoint())).toBe('ok')
    expect(await verify(await first.checkpoint(2, {}, secondKey))).toBe('wrong_log')
    expect(await verify(await first.checkpoint(2, { type: 'svc/anchor-checkpoint/v1' }))).toBe('wrong_log')
    const { signatureB64u } = await first.checkpoint(1)
    expect(await verify({ ...(await first.checkpoint(2)), signatureB64u })).toBe('invalid_signature')
    expect(await verify(await first.checkpoint(2, { size: 9 }))).toBe('beyond_final')
    expect(await verify(await first.checkpoint(undefined, { root: 'a7'.repeat(48) }))).toBe('beyond_final')
  })
})

describe('a roll', () => {
  const last = () => rolled.first.lines.at(-1)!

  it('leads from the end of the first log to the second', () => {
    expect(reasonOf(verifyOpening(rolled.first.log, rolled.first.lines[0]!, list))).toBe('ok')
    const end = verifyEnd(rolled.first.end, last(), list)
    expect(end.ok && end.value.next?.log).toBe(rolled.second.log)
    expect(reasonOf(verifyOpening(rolled.second.log, rolled.second.lines[0]!, list))).toBe('ok')
    expect(verifyEnd(rolled.second.end, AFTER[0]!, list)).toEqual({ ok: true, value: { next: null } })
  })

  it('with a wrong final root or size is refused', () => {
    const { end } = rolled.first
    expect(reasonOf(verifyEnd({ ...end, root: 'a7'.repeat(48) }, last(), list))).toBe('wrong_final')
    expect(reasonOf(verifyEnd({ ...end, size: end.size - 1 }, last(), list))).toBe('wrong_final')
  })

  it('without a closing leaf, or with one that leads elsewhere, is refused', async () => {
    const open = await rolledLog('transparency', [BEFORE, AFTER], { close: null })
    expect(reasonOf(verifyEnd(open.first.end, BEFORE[1]!, open.list.statement))).toBe('missing_close')
    const astray = await rolledLog('transparency', [BEFORE, AFTER], { close: closeEntry('https://other.test/x') })
    expect(reasonOf(verifyEnd(astray.first.end, astray.first.lines.at(-1)!, astray.list.statement))).toBe(
      'missing_close',
    )
  })

  it('is refused if leaf 0 opens another log or continues another end', async () => {
    const { second, first } = rolled
    const wrong = await rolledLog('transparency', [BEFORE, AFTER], { previous: { size: 1 } })
    expect(reasonOf(verifyOpening(second.log, wrong.second.lines[0]!, wrong.list.statement))).toBe('wrong_open')
    expect(reasonOf(verifyOpening(second.log, openEntry(second.log, null), list))).toBe('wrong_open')
    expect(reasonOf(verifyOpening(second.log, first.lines[0]!, list))).toBe('wrong_open')
    expect(reasonOf(verifyOpening(second.log, '{"kind":"update"}', list))).toBe('wrong_open')
    expect(reasonOf(verifyOpening(second.log, 'not JSON', list))).toBe('wrong_open')
  })

  it('to a log that is not listed is refused', () => {
    const end = { ...rolled.first.end, log: 'https://core.test/transparency/2030a' }
    expect(reasonOf(verifyEnd(end, last(), list))).toBe('unlisted_log')
    expect(reasonOf(verifyOpening('https://core.test/transparency/2030a', '{}', list))).toBe('unlisted_log')
  })
})
