import { beforeAll, describe, expect, it } from 'vitest'
import { otherLabels } from '../keys/account-labels.fixture.ts'
import { closeEntry } from './entries.ts'
import { listHash, listKeysSchema, openLog, type SignedLogList, signedLogListSchema } from './log-list.ts'
import { followLists, verifyNextList, verifyPinnedList } from './log-list-chain.ts'
import {
  closedEntry,
  ISSUED_AT,
  keysOf,
  listSigners,
  nextList,
  nextListSigners,
  openedEntry,
  REALM,
  type RolledLog,
  rolledLog,
  signedList,
  VALID_UNTIL,
} from './rolled-log.fixture.ts'

const NOW = ISSUED_AT + 1_000
const REALMS = [REALM] as const
const KEYS = keysOf(listSigners)
let rolled: RolledLog
let list: SignedLogList

beforeAll(async () => {
  rolled = await rolledLog('transparency', [['{"kind":"a"}', '{"kind":"b"}'], ['{"kind":"c"}']])
  list = rolled.list
})

const pinned = async (given: SignedLogList, keys = KEYS, now = NOW) => {
  const found = await verifyPinnedList(given, keys, REALMS, now)
  return found.ok ? 'ok' : found.error.reason
}
const next = async (after: SignedLogList, before = list) => {
  const found = await verifyNextList(before, after, REALMS)
  return found.ok ? 'ok' : found.error.reason
}

describe('a pinned log list', () => {
  it('is accepted with a closed and an open log', async () => {
    expect(signedLogListSchema.safeParse(list).success).toBe(true)
    expect(await pinned(list)).toBe('ok')
    expect(openLog(list.statement, 'transparency')?.log).toBe(rolled.second.log)
    expect(openLog(list.statement, 'anchors')).toBeNull()
  })

  it('is refused after its time and in another realm', async () => {
    expect(await pinned(list, KEYS, VALID_UNTIL)).toBe('ok')
    expect(await pinned(list, KEYS, VALID_UNTIL + 1)).toBe('list_expired')
    expect(await pinned(await nextOf({ realm: 'https://other.test' }))).toBe('wrong_realm')
  })

  it.each([
    ['one signature', 1],
    ['none', 0],
  ])('is refused with %s of two', async (_, count) => {
    const { statement, signatures } = list
    expect(await pinned({ statement, signatures: signatures.slice(0, count) })).toBe('threshold_not_met')
  })

  it('counts each key once and no other key', async () => {
    const [one, other, third] = listSigners
    const logs = list.statement.logs
    expect(await pinned(await signedList({ logs }, [one!, one!]))).toBe('threshold_not_met')
    expect(await pinned(await signedList({ logs }, [one!, nextListSigners[0]!]))).toBe('threshold_not_met')
    expect(await pinned(await signedList({ logs }, [other!, third!]))).toBe('ok')
    expect(await pinned(list, keysOf(nextListSigners))).toBe('threshold_not_met')
  })

  it('is refused when a signed member changes', async () => {
    const changed = { ...list, statement: { ...list.statement, validUntil: VALID_UNTIL + 1 } }
    expect(await pinned(changed)).toBe('threshold_not_met')
  })

  it('needs distinct keys, as many as the threshold', () => {
    const [key] = KEYS.publicKeysB64u
    expect(listKeysSchema.safeParse({ threshold: 2, publicKeysB64u: [key] }).success).toBe(false)
    expect(listKeysSchema.safeParse({ threshold: 2, publicKeysB64u: [key, key] }).success).toBe(false)
  })

  it('is refused when it contradicts itself', async () => {
    const [closed, open] = list.statement.logs
    const [first] = [rolled.first]
    const wrong = await first.checkpoint(undefined, { root: 'a7'.repeat(48) })
    const foreign = await first.checkpoint(undefined, {}, rolled.second.key)
    const cases = {
      'a log twice': [closed!, closed!, open!],
      'one key for two logs': [closed!, { ...open!, publicKeyB64u: closed!.publicKeyB64u }],
      'a closed log without its end': [{ ...closed!, final: null }, open!],
      'an open log with an end': [{ ...closed!, state: 'open' as const }],
      'an end signed by another key': [{ ...closed!, final: foreign }, open!],
      'an end that the next log does not continue': [{ ...closed!, final: wrong }, open!],
      'a predecessor that is not listed': [open!],
      'two open logs of one slot': [
        { ...closed!, state: 'open' as const, final: null },
        { ...open!, previous: null },
      ],
    }
    for (const [name, logs] of Object.entries(cases)) {
      expect(await pinned(await signedList({ logs })), name).toBe('list_inconsistent')
    }
  })

  it('may have two open logs with disjoint slots', async () => {
    const [closed, open] = list.statement.logs
    const half = (value: number) => ({ bits: 1, value })
    const logs = [
      { ...closed!, state: 'open' as const, final: null, slot: half(0) },
      { ...open!, previous: null, slot: half(1) },
    ]
    expect(await pinned(await signedList({ logs }))).toBe('ok')
  })
})

const nextOf = (members: object, signers?: typeof listSigners) => nextList(list, members, signers)

describe('the next log list', () => {
  it('is accepted when it names the one before, also if nothing changed', async () => {
    expect(await next(await nextOf({}))).toBe('ok')
    expect(await next(list)).toBe('ok')
  })

  it('is refused when it is older, skips a version or continues another list', async () => {
    const second = await nextOf({})
    expect(await next(list, second)).toBe('list_rolled_back')
    expect(await next(await nextOf({ version: 3 }))).toBe('not_successor')
    expect(await next(await nextOf({ previous: 'a7'.repeat(48) }))).toBe('not_successor')
    expect(await next(await nextOf({ issuedAt: ISSUED_AT - 1 }))).toBe('not_successor')
    expect(await next(await signedList({ logs: [], issuedAt: ISSUED_AT + 1 }))).toBe('not_successor')
  })

  it('replaces the keys with a threshold of the old and of the new ones', async () => {
    const keys = keysOf(nextListSigners)
    const both = await nextOf({ keys }, [...listSigners.slice(0, 2), ...nextListSigners])
    expect(await next(both)).toBe('ok')
    expect(await next(await nextOf({ keys }, nextListSigners))).toBe('threshold_not_met')
    expect(await next(await nextOf({ keys }, [listSigners[0]!, ...nextListSigners]))).toBe('threshold_not_met')
    expect(await next(await nextOf({ keys }, listSigners))).toBe('threshold_not_met')
    // The list after it needs only the new keys.
    expect(await next(await nextList(both, {}, nextListSigners), both)).toBe('ok')
    expect(await next(await nextList(both, {}, listSigners), both)).toBe('threshold_not_met')
  })

  it('is reached through every list between, and only the newest must be current', async () => {
    const keys = keysOf(nextListSigners)
    const second = await nextOf({ keys, validUntil: ISSUED_AT + 1 }, [...listSigners, ...nextListSigners])
    const third = await nextList(second, {}, nextListSigners)
    const reached = await followLists(list, [second, third], REALMS, NOW)
    expect(reached.ok && listHash(reached.value)).toBe(listHash(third))
    expect(await followLists(list, [second], REALMS, NOW)).toEqual({ ok: false, error: { reason: 'list_expired' } })
    expect(await followLists(list, [third], REALMS, NOW)).toEqual({ ok: false, error: { reason: 'not_successor' } })
    expect(await pinned(third)).toBe('threshold_not_met')
  })

  it('closes a log and opens the next, and undoes neither', async () => {
    const { first, second } = rolled
    const closed = await closedEntry('transparency', first)
    const before = await signedList({ logs: [{ ...closed, state: 'open', final: null }] })
    const after = await nextList(before, { logs: [closed, openedEntry('transparency', second, first.end)] })
    expect(await next(after, before)).toBe('ok')
    const undone = await nextList(after, { logs: before.statement.logs })
    expect(await next(undone, after)).toBe('list_inconsistent')
    const shorter = await first.checkpoint(2)
    const end = { log: first.log, size: 2, root: shorter.statement.root }
    const reverted = [{ ...closed, final: shorter }, openedEntry('transparency', second, end)]
    expect(await next(await nextList(after, { logs: reverted }), after)).toBe('list_inconsistent')
  })

  it('keeps the key of labels: with another one every account would have a second label', async () => {
    const { publicKeyB64u: labelKeyB64u } = otherLabels
    expect(await next(await nextOf({ labelKeyB64u }))).toBe('list_inconsistent')
    const { labelKeyB64u: _, ...old } = list.statement
    expect(signedLogListSchema.safeParse({ ...list, statement: old }).success).toBe(false)
  })

  it('keeps every log with its key, and the namespace', async () => {
    expect(await next(await nextOf({ namespace: 'https://moved.test' }))).toBe('list_inconsistent')
    const [closed, open] = list.statement.logs
    expect(await next(await nextOf({ logs: [closed!] }))).toBe('list_inconsistent')
    const otherKey = listSigners[2]!.ownerPublicKey
    expect(await next(await nextOf({ logs: [closed!, { ...open!, publicKeyB64u: otherKey }] }))).toBe(
      'list_inconsistent',
    )
  })
})

describe('entries', () => {
  it('are one line of canonical JSON each', () => {
    expect(rolled.first.lines[0]).toBe(`{"kind":"open","log":"${REALM}/transparency/2027a","map":null,"previous":null}`)
    expect(rolled.first.lines.at(-1)).toBe(`{"kind":"close","next":"${REALM}/transparency/2027b"}`)
    expect(closeEntry(null)).toBe('{"kind":"close","next":null}')
    const { size, root, log } = rolled.first.end
    expect(rolled.second.lines[0]).toBe(
      `{"kind":"open","log":"${REALM}/transparency/2027b","map":null,"previous":{"log":"${log}","root":"${root}","size":${size}}}`,
    )
  })
})
