import { Transport } from '@svc/client'
import { type SignedCosignature, signedCosignatureSchema, verifyCosignature } from '@svc/protocol/keys/cosignature'
import { logNameOf } from '@svc/protocol/merkle/log-name'
import {
  type FixtureLog,
  fixtureLog,
  ISSUED_AT,
  keysOf,
  type LogSigner,
  listSigners,
  nextList,
  nextListSigners,
  openedEntry,
  REALM,
  rolledLog,
  secondKey,
  signedList,
} from '@svc/protocol/merkle/rolled-log.fixture'
import { describe, expect, it } from 'vitest'
import { anchorLogs } from './followed-logs.ts'
import { LogFollower } from './log-follower.ts'
import { keys, NOW, statePath } from './witness.fixture.ts'
import { WitnessStore } from './witness-store.ts'

const CORE = 'https://core.example'
const ROLLED = await rolledLog('anchors', [['a'], ['b', 'c']])
const [nextKey] = nextListSigners as [LogSigner]
/** An announced log has a name and a key, but no checkpoint yet. */
const NEXT = fixtureLog('anchors', logNameOf(REALM, 'anchors', '2027c'), nextKey, [])
const ANNOUNCED = { ...openedEntry('anchors', NEXT, null), state: 'announced' } as const
const LIST = await signedList({ logs: [...ROLLED.list.statement.logs, ANNOUNCED] })
const grown = (...lines: string[]) =>
  fixtureLog('anchors', ROLLED.second.log, secondKey, [...ROLLED.second.lines, ...lines])

/** A fake core with a list of anchor logs. Tests set what it shows of the open log. */
class FakeCore {
  readonly taken: SignedCosignature[] = []
  list = LIST
  open: FixtureLog = ROLLED.second
  isDown = false

  readonly fetch = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(url, init)
    const { pathname, searchParams } = new URL(request.url)
    switch (pathname) {
      case '/api/logs':
        return Response.json({ success: true, data: { list: this.list, earlier: [] }, timestamp: NOW })
      case '/api/anchors/checkpoint':
        if (searchParams.get('log') !== this.open.log) return new Response(null, { status: 404 })
        return Response.json(await this.open.checkpoint())
      case '/api/anchors/consistency': {
        const [first, second] = [Number(searchParams.get('first')), Number(searchParams.get('second'))]
        return Response.json({ log: this.open.log, first, second, proof: this.open.consistency(first, second) })
      }
      default: {
        if (this.isDown) return new Response(null, { status: 503 })
        const taken = signedCosignatureSchema.parse(await request.json())
        this.taken.push(taken)
        return Response.json(taken)
      }
    }
  }

  get sizes(): string[] {
    return this.taken.map(({ statement: { log, size } }) => `${log.split('/').at(-1)} ${size}`)
  }
}

function witnessOf(core: FakeCore, store: WitnessStore) {
  const transport = new Transport({ realm: REALM, fetch: core.fetch, now: () => ISSUED_AT, retries: false })
  return new LogFollower(anchorLogs(CORE, { transport, listKeys: keysOf(listSigners), seed: keys.seed }), store)
}

describe('a witness of the logs of anchors', () => {
  it('cosigns each state of each log once', async () => {
    const [core, store] = [new FakeCore(), new WitnessStore(statePath())]
    const witness = witnessOf(core, store)
    expect(await witness.visit(NOW)).toEqual({
      outcome: 'followed',
      cosigned: [
        { log: ROLLED.first.log, size: 3 },
        { log: ROLLED.second.log, size: 3 },
      ],
    })
    expect(await witness.visit(NOW)).toEqual({ outcome: 'followed', cosigned: [] })
    core.open = grown('d', 'e')
    await witness.visit(NOW + 1)
    expect(core.sizes).toEqual(['2027a 3', '2027b 3', '2027b 5'])
    for (const cosignature of core.taken) {
      expect(await verifyCosignature(cosignature, [REALM])).toBe(true)
      expect(cosignature.statement.verifies).toBe('log')
    }
    expect(core.taken.map(({ statement }) => statement.issuedAt)).toEqual([NOW, NOW, NOW + 1])
  })

  it.each<[string, FixtureLog]>([
    ['shrunk', fixtureLog('anchors', ROLLED.second.log, secondKey, ROLLED.second.lines.slice(0, 2))],
    ['fork', fixtureLog('anchors', ROLLED.second.log, secondKey, [...ROLLED.second.lines.slice(0, 2), 'x'])],
    ['fork', fixtureLog('anchors', ROLLED.second.log, secondKey, [...ROLLED.second.lines.slice(0, 2), 'x', 'd', 'e'])],
  ])('never cosigns a log that it found %s, also after a restart', async (reason, shown) => {
    const [core, path] = [new FakeCore(), statePath()]
    const store = new WitnessStore(path)
    await witnessOf(core, store).visit(NOW)
    core.open = shown
    const witness = witnessOf(core, store)
    expect(await witness.visit(NOW)).toEqual({ outcome: 'false', reason })
    core.open = grown('d')
    expect(await witness.visit(NOW)).toEqual({ outcome: 'false', reason: 'as before' })
    core.open = shown
    expect(await witnessOf(core, new WitnessStore(path)).visit(NOW)).toEqual({ outcome: 'false', reason })
    expect(core.sizes).toEqual(['2027a 3', '2027b 3'])
    const [evidence] = store.evidence()
    expect(evidence).toMatchObject({ origin: `${CORE}/api/anchors`, isFork: true })
    // The evidence has both checkpoints: the known one and the refused one.
    const { root } = (await shown.checkpoint()).statement
    expect(evidence?.known).toContain((await ROLLED.second.checkpoint()).statement.root)
    expect(evidence?.refused).toContain(root)
  })

  it('finds a log that the list does not have any more', async () => {
    const [core, store] = [new FakeCore(), new WitnessStore(statePath())]
    const witness = witnessOf(core, store)
    await witness.visit(NOW)
    const left = LIST.statement.logs.filter(({ log }) => log !== ROLLED.first.log)
    core.list = await nextList(LIST, { logs: left })
    expect(await witness.visit(NOW)).toMatchObject({ outcome: 'false' })
  })

  it('cosigns at the next visit what core did not take, also if it died in between', async () => {
    const [core, path] = [new FakeCore(), statePath()]
    core.isDown = true
    expect(await witnessOf(core, new WitnessStore(path)).visit(NOW)).toMatchObject({ outcome: 'unreachable' })
    core.isDown = false
    await witnessOf(core, new WitnessStore(path)).visit(NOW)
    expect(core.sizes).toEqual(['2027a 3', '2027b 3'])
  })

  it('stores before it signs: of two processes with two histories, one signs', async () => {
    const [core, path] = [new FakeCore(), statePath()]
    await witnessOf(core, new WitnessStore(path)).visit(NOW)
    const other = new FakeCore()
    other.open = grown('other')
    core.open = grown('d')
    const visits = await Promise.all([
      witnessOf(core, new WitnessStore(path)).visit(NOW),
      witnessOf(other, new WitnessStore(path)).visit(NOW),
    ])
    expect(visits.map(({ outcome }) => outcome).toSorted()).toEqual(['followed', 'unreachable'])
  })
})
