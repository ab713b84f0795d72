import {
  type FixtureLog,
  firstKey,
  keysOf,
  listSigners,
  rolledLog,
  secondKey,
} from '@svc/protocol/merkle/rolled-log.fixture'
import { describe, expect, it } from 'vitest'
import { Client } from '../src/client.ts'
import { judged as judgedBy, MALFORMED, namesOf } from '../src/evidence/means.fixture.ts'
import type { Means } from '../src/evidence/means.ts'
import { fetchOf } from './fetch.ts'
import { NOW } from './lies/situation.ts'
import { REALM } from './realm.ts'

const SERIES = ['anchors', 'transparency'] as const
type Series = (typeof SERIES)[number]

/** A service that has this log and its list; `change` is what it answers instead of a proof. */
function serviceOf(log: FixtureLog, list: object, series: Series, change = (proof: string[]) => proof): Client {
  const asked = async ({ url }: Request) => {
    const { pathname, searchParams } = new URL(url)
    const answer = (data: object) => Response.json({ success: true, data, timestamp: NOW, requestId: 'r' })
    if (pathname.endsWith('/logs')) return answer({ list, earlier: [] })
    const [first = 0, second = 0] =
      series === 'anchors'
        ? ['first', 'second'].map((name) => Number(searchParams.get(name)))
        : (pathname.split('/').at(-1)?.split('-').map(Number) ?? [])
    const body = { log: log.log, first, second, proof: change(log.consistency(first, second)) }
    const checkpoint = await log.checkpoint(second)
    return series === 'anchors' ? Response.json({ ...body, checkpoint }) : answer({ ...body, checkpoint })
  }
  const places = { core: REALM, did: 'https://did.test', keys: 'https://keys.test' }
  return new Client({
    ...places,
    fetch: fetchOf(asked),
    now: () => NOW,
    retries: false,
    logListKeys: keysOf(listSigners),
  })
}

const judged = (pair: readonly object[], means: Partial<Means>) => judgedBy('checkpoints', pair, means)

describe.each(SERIES)('two checkpoints of the log of %s', async (series) => {
  const { first, second: log, list } = await rolledLog(series, [['a'], ['b', 'c', 'd']])
  const [earlier, later] = [await log.checkpoint(2), await log.checkpoint(4)]
  const logKeyB64u = secondKey.ownerPublicKey
  const fork = await log.checkpoint(4, { root: 'ab'.repeat(48) })

  it('are valid where the log proves that it grew, in either order', async () => {
    const client = serviceOf(log, list, series)
    for (const pair of [
      [earlier, later],
      [later, earlier],
    ]) {
      const verdict = await judged(pair, { client })
      expect(verdict).toMatchObject({ verdict: 'valid', subject: later.statement.root, at: later.statement.issuedAt })
      expect(namesOf(verdict)).toEqual(['signatures ok', 'extension ok'])
      expect(verdict.checks[0]?.found).toEqual({ count: 2, log: log.log })
    }
  })

  it('are invalid where the proof of the log does not show it', async () => {
    const client = serviceOf(log, list, series, (proof) => proof.map(() => 'ab'.repeat(48)))
    await expect(judged([earlier, later], { client })).rejects.toMatchObject({
      subject: series,
      reason: 'inconsistent',
    })
    // A proof of another pair: the hashes are of the log, and lead to another root.
    const other = serviceOf(log, list, series, () => log.consistency(1, 4))
    await expect(judged([earlier, later], { client: other })).rejects.toMatchObject({ reason: 'inconsistent' })
  })

  it('are undecided without a network, and say what is missing', async () => {
    const verdict = await judged([earlier, later], { logKeyB64u })
    expect(verdict).toMatchObject({ verdict: 'undecided', needs: 'network' })
    expect(namesOf(verdict)).toEqual(['signatures ok', 'extension unchecked'])
    expect(await judged([earlier, later], {})).toMatchObject({ verdict: 'undecided', needs: 'log_key' })
    expect(await judged([earlier, later], { logKeyB64u, realms: [] })).toMatchObject({ needs: 'realm' })
  })

  it('of the same size need no network: one root is one history, two are a fork', async () => {
    const again = await log.checkpoint(4, { issuedAt: later.statement.issuedAt + 1 })
    const verdict = await judged([later, again], { logKeyB64u })
    expect(verdict.verdict).toBe('valid')
    expect(namesOf(verdict)).toEqual(['signatures ok', 'same_root ok'])
    for (const means of [{ logKeyB64u }, { client: serviceOf(log, list, series) }])
      await expect(judged([later, fork], means)).rejects.toMatchObject({
        name: 'ForkError',
        subject: series,
        reason: 'fork',
        remembered: { signed: later },
        received: { signed: fork },
      })
  })

  it('are invalid where one of them was changed, or signed by another key', async () => {
    const changed = { ...later, statement: { ...later.statement, size: 3 } }
    const stranger = await log.checkpoint(4, {}, firstKey)
    for (const pair of [
      [earlier, changed],
      [earlier, stranger],
    ]) {
      await expect(judged(pair, { logKeyB64u })).rejects.toMatchObject({ subject: series, reason: 'invalid_signature' })
      await expect(judged(pair, { client: serviceOf(log, list, series) })).rejects.toMatchObject({ subject: series })
    }
  })

  it('of two logs are each signed, and prove nothing about each other', async () => {
    const verdict = await judged([await first.checkpoint(), later], { client: serviceOf(log, list, series) })
    expect(verdict.verdict).toBe('valid')
    expect(namesOf(verdict)).toEqual(['signatures ok', 'one_log unchecked'])
  })

  it('that are cut do not have their form', async () => {
    const { signatureB64u: _, ...cut } = later
    await expect(judged([earlier, cut], { logKeyB64u })).rejects.toMatchObject(MALFORMED)
  })

  it('can be one: its signature is what there is to verify', async () => {
    expect(namesOf(await judged([later], { logKeyB64u }))).toEqual(['signatures ok', 'one_checkpoint unchecked'])
  })
})
