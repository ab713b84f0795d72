import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { SignedPublication } from '@svc/protocol/ledger/anchors'
import { nextList, openedEntry } from '@svc/protocol/merkle/rolled-log.fixture'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  ANCHOR_LOG,
  anchorLog,
  anchorNo,
  BUCKET,
  CONSENT_HASH,
  CORE,
  DECLARED,
  declaredAs,
  earlierPublisher,
  FakeDeployment,
  lineNo,
  mapNo,
  NOW,
  openDirectory,
  pin,
  publicationNo,
  statePath,
} from './deployment.fixture.ts'
import { Mirror } from './mirror.ts'
import { MirrorStore } from './mirror-store.ts'

async function followed(deployment: FakeDeployment, path = statePath()) {
  const store = new MirrorStore(path)
  pin(store)
  let time = NOW
  const mirror = new Mirror({ core: CORE, buckets: [BUCKET, 7], fetch: deployment.fetch, now: () => time }, store)
  const visit = async () => {
    const visits = []
    for await (const one of mirror.visit()) visits.push(one)
    // Core's discovery document is not served here.
    return visits.filter(({ source }) => source !== 'discovery')
  }
  const later = (afterMs: number) => {
    time = NOW + afterMs
    return visit()
  }
  return { store, mirror, visit, later, visits: await visit() }
}

const sizeOf = (store: MirrorStore) => store.findLog(ANCHOR_LOG)?.head?.checkpoint.statement.size

describe('a mirror', () => {
  it('follows both logs across a roll, and consent', async () => {
    const deployment = await FakeDeployment.create()
    const { store, visits } = await followed(deployment)
    expect(visits).toMatchObject([
      { source: 'core', outcome: 'followed', logs: [{ log: ANCHOR_LOG, size: 4 }] },
      {
        source: 'keys',
        outcome: 'followed',
        logs: deployment.directory.map(({ log, lines }) => ({ log, size: lines.length })),
      },
      { source: 'consent', outcome: 'followed' },
    ])
    expect(store.logs().map(({ isClosed }) => isClosed)).toEqual([false, true, false])
  })

  it('reads only what is new at the next visit, and nothing of a closed log', async () => {
    const deployment = await FakeDeployment.create(300)
    const { store, visit } = await followed(deployment)
    await deployment.add(3)
    deployment.asked.length = 0
    await visit()
    expect(sizeOf(store)).toBe(304)
    expect(deployment.asked.filter((path) => path.includes('/entries/') || path.includes('/bodies/'))).toEqual([
      '/api/anchors/feed/entries/1',
      '/api/anchors/feed/bodies/301',
    ])
  })

  it('proves nothing by being unreachable', async () => {
    const deployment = await FakeDeployment.create()
    const { store, mirror, visit } = await followed(deployment)
    deployment.isDown = true
    expect((await visit()).map(({ outcome }) => outcome)).toEqual(['unreachable', 'unreachable', 'followed'])
    expect([mirror.refused.size, store.evidence()]).toEqual([0, []])
  })
})

describe('a mirror refuses, keeps the evidence, and keeps what it had', () => {
  const cases: readonly [string, string, (deployment: FakeDeployment) => Promise<void>][] = [
    [
      'a shorter log',
      'shrunk',
      async (deployment) => {
        deployment.size = 3
        deployment.issuedAt += 1
      },
    ],
    [
      'another leaf in its past',
      'rewritten',
      async (deployment) => {
        const [, ...rest] = deployment.anchors
        deployment.anchors = [await anchorNo(90), ...rest, await anchorNo(91)]
        deployment.anchorLog = anchorLog(deployment.anchors)
      },
    ],
    [
      'another tree of the same size',
      'fork',
      async (deployment) => {
        deployment.anchors = [await anchorNo(90), ...deployment.anchors.slice(1)]
        deployment.anchorLog = anchorLog(deployment.anchors)
      },
    ],
    [
      'an attestation that is not the one of the leaf',
      'not_included',
      async (deployment) => {
        await deployment.add(1)
        const { attestations } = await anchorNo(90)
        deployment.anchors = deployment.anchors.with(3, { ...deployment.anchors[3]!, attestations })
      },
    ],
    [
      'a leaf that was logged before',
      'repeated_leaf',
      async (deployment) => {
        deployment.anchors = [...deployment.anchors, deployment.anchors[0]!]
        deployment.anchorLog = anchorLog(deployment.anchors)
      },
    ],
    [
      'a log that it closed in secret',
      'list_inconsistent',
      async (deployment) => {
        deployment.earlier = []
        deployment.list = await nextList(deployment.list, { logs: deployment.list.statement.logs.slice(1) })
      },
    ],
    [
      'a second list of one version',
      'fork',
      async (deployment) => {
        const logs = deployment.list.statement.logs.with(0, openedEntry('anchors', anchorLog([]), null))
        deployment.list = await nextList(deployment.list, { version: 1, previous: null, issuedAt: NOW, logs })
      },
    ],
  ]

  it.each(cases)('%s', async (_, reason, lie) => {
    const deployment = await FakeDeployment.create()
    const path = statePath()
    const { store, mirror, visit } = await followed(deployment, path)
    await lie(deployment)
    expect((await visit())[0]).toEqual({ source: 'core', outcome: 'false', reason })
    expect(mirror.refused.get('core')).toBe(reason)
    const ofCore = () => store.evidence().filter(({ source }) => source === 'core')
    expect(ofCore()).toMatchObject([{ reason, at: NOW }])
    const log = store.findLog(ANCHOR_LOG)
    const { size, root } = log?.head?.checkpoint.statement ?? { size: -1, root: '' }
    expect([size, await log?.root(4), log?.read]).toEqual([4, root, { leaves: 4, bodies: 4 }])
    // It is not asked again, and the evidence is kept once.
    expect((await visit())[0]).toMatchObject({ outcome: 'false', reason })
    expect(ofCore()).toHaveLength(1)
    store.close()
    // After a restart, an honest deployment is followed again from there.
    const honest = await FakeDeployment.create()
    await honest.add(300)
    const again = await followed(honest, path)
    expect(again.visits[0]).toMatchObject({ outcome: 'followed', logs: [{ size: 304 }] })
    expect(again.store.evidence().some((one) => one.reason === reason)).toBe(true)
  })
})

describe('the map of accounts', () => {
  const stateOf = ({ map }: MirrorStore) => ({ ...map.state, root: map.root })
  const rootOf = (line: string) => (JSON.parse(line) as { root: string }).root

  it('is recomputed from one log to the next, up to the newest that the log names', async () => {
    const deployment = await FakeDeployment.create()
    const path = statePath()
    const { store, visit } = await followed(deployment, path)
    const [, open] = deployment.directory
    expect(stateOf(store)).toEqual({ epoch: 2, log: open!.log, size: 2, root: rootOf(mapNo(2, 2, 3)) })
    deployment.directory = deployment.directory.with(1, openDirectory([lineNo(4)]))
    await visit()
    expect(stateOf(store).epoch).toBe(2)
    deployment.directory = deployment.directory.with(1, openDirectory([lineNo(4), mapNo(3, 4, 4), mapNo(4, 4, 4)]))
    await visit()
    expect(stateOf(store)).toMatchObject({ epoch: 4, root: rootOf(mapNo(3, 4, 4)) })
    store.close()
    expect(stateOf(new MirrorStore(path))).toMatchObject({ epoch: 4, root: rootOf(mapNo(3, 4, 4)) })
  })

  it('is recomputed from what was verified before, also if the directory does not answer any more', async () => {
    const deployment = await FakeDeployment.create()
    const { store, visit } = await followed(deployment)
    const before = stateOf(store)
    store.run('DELETE FROM map_pages')
    store.run('DELETE FROM facts WHERE name = ?', 'map')
    store.map.forget()
    deployment.isDown = true
    expect((await visit())[1]).toMatchObject({ source: 'keys', outcome: 'unreachable' })
    expect(stateOf(store)).toEqual(before)
  })

  const lies: readonly [string, string, readonly string[]][] = [
    ['that lacks an update', 'wrong_map', [lineNo(4), mapNo(3, 4, 3)]],
    ['with an update that the log does not have', 'wrong_map', [mapNo(3, 3, 4)]],
    ['of more leaves than were there', 'wrong_map', [lineNo(4), mapNo(3, 5, 4)]],
    ['of fewer leaves than the one before', 'wrong_map', [mapNo(3, 1, 3)]],
    ['with a number that was left out', 'out_of_order', [lineNo(4), mapNo(4, 4, 4)]],
    ['with the number of another', 'repeated_leaf', [lineNo(4), mapNo(2, 4, 4)]],
  ]

  it.each(lies)('%s is refused, and the one before stays', async (_, reason, extra) => {
    const deployment = await FakeDeployment.create()
    const path = statePath()
    const { store, mirror, visit } = await followed(deployment, path)
    const before = stateOf(store)
    deployment.directory = deployment.directory.with(1, openDirectory(extra))
    expect((await visit())[1]).toEqual({ source: 'keys', outcome: 'false', reason })
    expect(mirror.refused.get('keys')).toBe(reason)
    expect(store.evidence().filter(({ source }) => source === 'keys')).toMatchObject([{ reason, at: NOW }])
    expect([stateOf(store), before.epoch]).toEqual([before, 2])
    store.close()
    // The pages on the disk are those of that map, too.
    expect(stateOf(new MirrorStore(path))).toEqual(before)
  })
})

describe('reports of the publisher', () => {
  const noncesOf = (store: MirrorStore) =>
    store.all('SELECT nonce FROM publications ORDER BY no').map((row) => row['nonce'])
  const nonces = (of: readonly SignedPublication[]) => of.map(({ statement }) => statement.nonce)

  it('are read in their order, page by page, and only what is new', async () => {
    const deployment = await FakeDeployment.create()
    const all = await Promise.all([0, 1, 2, 3, 4].map((number) => publicationNo(number)))
    deployment.publications = all.slice(0, 3)
    const path = statePath()
    const { store, visit } = await followed(deployment, path)
    expect(noncesOf(store)).toEqual(nonces(all.slice(0, 3)))
    deployment.publications = all
    deployment.asked.length = 0
    await visit()
    expect(noncesOf(store)).toEqual(nonces(all))
    expect(deployment.asked.filter((one) => one.endsWith('publications'))).toHaveLength(2)
    store.close()
    expect(noncesOf((await followed(deployment, path)).store)).toEqual(nonces(all))
  })

  it('that no known key signed are left out, and prove nothing', async () => {
    const deployment = await FakeDeployment.create()
    const [first, foreign, last] = [
      await publicationNo(0),
      await publicationNo(1, {}, earlierPublisher),
      await publicationNo(2),
    ]
    const changed = { ...last, statement: { ...last.statement, tx: '0xdef' } }
    deployment.publications = [first, foreign, changed]
    const { store, visits } = await followed(deployment)
    expect([visits[0]?.outcome, noncesOf(store)]).toEqual(['followed', nonces([first])])
    // The mirror had seen the key of an earlier publisher.
    const path = statePath()
    const before = new MirrorStore(path)
    before.setFact('publisher keys', [earlierPublisher.ownerPublicKey])
    before.close()
    expect(noncesOf((await followed(deployment, path)).store)).toEqual(nonces([first, foreign]))
  })

  it('whose order goes back are refused, with evidence', async () => {
    const deployment = await FakeDeployment.create()
    const [first, second, third] = await Promise.all([0, 1, 2].map((number) => publicationNo(number)))
    deployment.publications = [first!, third!]
    const { store, visit } = await followed(deployment)
    deployment.publications = [first!, third!, second!]
    expect((await visit())[0]).toEqual({ source: 'core', outcome: 'false', reason: 'out_of_order' })
    expect(store.evidence()).toContainEqual(expect.objectContaining({ source: 'core', known: third, shown: second }))
    expect(noncesOf(store)).toEqual(nonces([first!, third!]))
  })
})

describe('records of consent', () => {
  const recordIn = (store: MirrorStore) => {
    const record = store.get('SELECT record FROM records WHERE hash = ?', CONSENT_HASH)?.['record']
    return typeof record === 'string' ? (JSON.parse(record) as unknown) : record
  }
  const path = `/api/v1/consent/${encodeURIComponent(CONSENT_HASH)}`
  const HOUR = 3_600_000

  it('are read once, and again when a snapshot has another entry', async () => {
    const deployment = await FakeDeployment.create()
    const { store, visit, later } = await followed(deployment)
    expect(recordIn(store)).toEqual(DECLARED)
    const asked = () => deployment.asked.filter((one) => one === path).length
    await visit()
    await later(HOUR)
    expect([asked(), recordIn(store)]).toEqual([1, DECLARED])
    const changed = await declaredAs({ ai_training: 'allow' }, 2)
    deployment.declared = changed
    deployment.snapshotted = changed
    await later(2 * HOUR)
    expect([asked(), recordIn(store)]).toEqual([2, changed])
    deployment.snapshotted = null
    await later(3 * HOUR)
    expect(store.get('SELECT count(*) AS n FROM records')?.['n']).toBe(0)
  })

  it('that were changed or revoked after the snapshot wait for the next', async () => {
    for (const declared of [await declaredAs({ ai_training: 'allow' }, 2), null]) {
      const deployment = await FakeDeployment.create()
      deployment.declared = declared
      const { store, visits, later } = await followed(deployment)
      expect([visits[2]?.outcome, recordIn(store)]).toEqual(['followed', null])
      deployment.snapshotted = declared
      await later(HOUR)
      expect(recordIn(store)).toEqual(declared ?? undefined)
    }
  })

  it('that their key did not sign are refused, with evidence', async () => {
    const deployment = await FakeDeployment.create()
    const { signed } = await declaredAs({ search: 'allow' })
    const { signature_b64u: signature } = signed!
    deployment.declared = { ...DECLARED, signed: { ...DECLARED.signed!, signature_b64u: signature } }
    const { store, visits } = await followed(deployment)
    expect(visits[2]).toEqual({ source: 'consent', outcome: 'false', reason: 'invalid_signature' })
    expect(store.evidence()).toContainEqual(
      expect.objectContaining({ source: 'consent', reason: 'invalid_signature', shown: deployment.declared }),
    )
    expect(recordIn(store)).toBeNull()
  })
})

describe('a kill', () => {
  let deployment: FakeDeployment
  /** A mirror that nothing killed. */
  let whole: MirrorStore
  let server: Server
  let origin = ''

  beforeAll(async () => {
    deployment = await FakeDeployment.create(300)
    deployment.publications = await Promise.all([0, 1, 2].map((number) => publicationNo(number)))
    whole = (await followed(deployment)).store
    server = createServer((request, response) => {
      void deployment.fetch(`http://any${request.url ?? ''}`).then(async (answer) => {
        response.writeHead(answer.status, { 'content-type': 'application/json' })
        response.end(await answer.text())
      })
    })
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => server.close())

  it.each([1, 2, 9, 40, 300, 420, 600, 620, 633, 635, 638, 643, 645, 648])(
    'at write %d leaves a state from which it goes on',
    async (write) => {
      const path = statePath()
      const fixture = join(import.meta.dirname, 'killed-mirror.fixture.ts')
      const child = spawn(process.execPath, [fixture, path, String(write), origin], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const [, signal] = (await once(child, 'close')) as [number | null, string | null]
      expect(signal).toBe('SIGKILL')
      const { store, visits } = await followed(deployment, path)
      expect(visits.map(({ outcome }) => outcome)).toEqual(['followed', 'followed', 'followed'])
      for (const { name, head } of whole.logs()) {
        const log = store.findLog(name)
        expect(log?.head).toMatchObject({ checkpoint: { statement: head!.checkpoint.statement } })
        expect(await log?.root(head!.checkpoint.statement.size)).toBe(head?.checkpoint.statement.root)
      }
      expect([store.map.state, store.map.root]).toEqual([whole.map.state, whole.map.root])
      const count = (of: MirrorStore, table: string) => of.get(`SELECT count(*) AS n FROM ${table}`)?.['n']
      for (const table of ['leaves', 'bodies', 'tiles', 'map_pages', 'pages', 'publications', 'records'])
        expect(count(store, table)).toBe(count(whole, table))
    },
    60_000,
  )
})
