import { foldHead } from '@svc/protocol/keys/account-updates'
import { accountAnswerSchema, accountAuditSchema, entriesAnswerSchema } from '@svc/protocol/keys/transparency'
import { anchorBodiesSchema } from '@svc/protocol/ledger/anchor-feed'
import { publicationsOfAnchorSchema, publicationsPageSchema } from '@svc/protocol/ledger/anchor-publications'
import { afterAll, describe, expect, it } from 'vitest'
import { FakeDeployment } from './deployment.fixture.ts'
import { MirrorStore } from './mirror-store.ts'
import { pin } from './pinned.fixture.ts'
import { RunningMirror } from './running-mirror.ts'
import {
  ACCOUNT,
  ANCHOR_LOG,
  anchorLog,
  anchorNo,
  BUCKET,
  CORE,
  headAt,
  LABEL,
  NOW,
  publicationNo,
  statePath,
} from './signed-parts.fixture.ts'

const deployment = await FakeDeployment.create(300)
deployment.publications = await Promise.all([0, 1, 2].map((number) => publicationNo(number)))
const state = statePath()
const preset = new MirrorStore(state)
pin(preset)
preset.close()
const lines: string[] = []
const options = {
  core: CORE,
  buckets: [BUCKET],
  fetch: deployment.fetch,
  now: () => NOW,
  state,
  host: '127.0.0.1',
  port: 0,
  everySeconds: 60,
  onLine: (line: string) => lines.push(line),
}
const mirror = await RunningMirror.start(options)
afterAll(() => mirror.stop())
const get = (path: string, init: RequestInit = {}) => fetch(mirror.url + path, init)
const json = async (path: string) => (await (await get(path)).json()) as Record<string, unknown>

describe('the server of a mirror', () => {
  it('has nothing before its first visit, and says so in the words of the services', async () => {
    for (const [path, status, error] of [
      ['/api/logs', 503, 'log_list_unavailable'],
      ['/api/anchors/checkpoint', 503, 'log_unavailable'],
      [`/api/transparency/proof/${LABEL}`, 503, 'log_unavailable'],
      [`/api/transparency/audit/${LABEL}`, 503, 'log_unavailable'],
      ['/api/v1/consent/snapshot?bucket=7', 503, 'snapshots_unavailable'],
    ] as const) {
      const response = await get(path)
      expect([response.status, response.headers.get('x-error-name')]).toEqual([status, error])
      expect(await response.json()).toMatchObject({ success: false, error, timestamp: NOW })
    }
    await mirror.visit()
    expect(lines).toContain(`${ANCHOR_LOG}: verified 301 leaves`)
  })

  it('serves bundles of entries and bodies that never change as immutable', async () => {
    const full = await get(`/api/anchors/feed/entries/0?log=${encodeURIComponent(ANCHOR_LOG)}`)
    expect(full.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(entriesAnswerSchema.parse(await full.json()).entries).toEqual(deployment.anchorLog.lines.slice(0, 256))
    const partial = await get('/api/anchors/feed/entries/1')
    expect(partial.headers.get('cache-control')).toBe('public, max-age=5, must-revalidate')
    expect(entriesAnswerSchema.parse(await partial.json())).toMatchObject({ from: 256, size: 301 })
    const page = anchorBodiesSchema.parse(await json('/api/anchors/feed/bodies/256'))
    expect([page.to, page.isFull, page.bodies.length]).toEqual([301, false, 45])
    expect(anchorBodiesSchema.parse(await json('/api/anchors/feed/bodies/0'))).toMatchObject({ to: 64, isFull: true })
  })

  it('proves every leaf of a log that is larger than a tile', async () => {
    for (const index of [0, 1, 255, 299]) {
      const { anchorId } = deployment.anchors[index]!
      const bundle = (await json(`/api/anchors/${anchorId}/bundle`)) as { proof: string[] }
      expect(bundle.proof).toEqual(deployment.anchorLog.inclusion(index + 1))
    }
    for (const [first, second] of [
      [1, 301],
      [255, 256],
      [256, 300],
    ] as const) {
      const { proof } = await json(`/api/anchors/consistency?first=${first}&second=${second}`)
      expect(proof).toEqual(deployment.anchorLog.consistency(first, second))
    }
  })

  it('serves the reports of the publisher in the order of the service', async () => {
    const page = publicationsPageSchema.parse(await json('/api/anchors/feed/publications'))
    expect(page).toMatchObject({ publications: deployment.publications, isFull: false })
    const later = publicationsPageSchema.parse(await json(`/api/anchors/feed/publications?after=${page.next}`))
    expect(later).toEqual({ publications: [], next: page.next, isFull: false })
    const { anchorId } = deployment.anchors[1]!
    const { publications } = publicationsOfAnchorSchema.parse(await json(`/api/anchors/${anchorId}/publications`))
    expect(publications).toEqual([deployment.publications[1]])
    const chains = [{ chain: 'example-ledger', tx: '0x1' }]
    expect(await json(`/api/anchors/${anchorId}`)).toMatchObject({ status: 'published', chains })
    const { items } = await json('/api/anchors?limit=500&attestations=omit')
    expect(items).toContainEqual(expect.objectContaining({ anchorId, status: 'published', chains }))
  })

  it('proves accounts from the newest map, and lists what folds into it', async () => {
    const proved = await json(`/api/transparency/proof/${LABEL}`)
    expect(accountAnswerSchema.parse(proved['data'])).toMatchObject({ result: 'present', ...headAt(3) })
    const { data } = await json(`/api/transparency/audit/${LABEL}?since=1`)
    const { statementHashes, since, ...audit } = accountAuditSchema.parse(data)
    expect([since, foldHead(headAt(1), statementHashes)]).toEqual([1, headAt(3)])
    expect(audit).toMatchObject(headAt(3))
    expect(await json('/')).toMatchObject({ mapEpoch: 2 })
  })

  it.each([
    ['/api/anchors/nothing', 404, { success: false, error: 'not_found' }],
    ['/api/anchors/feed/entries/2', 404, { error: 'not_found' }],
    ['/api/anchors/checkpoint?log=unknown', 404, { error: 'not_found' }],
    ['/api/transparency/proof/did:svc:A', 404, { error: 'not_found' }],
    // Only the directory can tell the label of a DID.
    [`/api/transparency/proof/${ACCOUNT}`, 404, { error: 'not_found', message: expect.stringContaining('label') }],
    [`/api/transparency/audit/${ACCOUNT}`, 404, { error: 'not_found', message: expect.stringContaining('label') }],
    [`/api/transparency/audit/${LABEL}?since=4`, 404, { error: 'not_found' }],
    [`/api/transparency/audit/${LABEL}?since=x`, 400, { success: false, error: 'invalid_request' }],
    [
      '/api/anchors/consistency?first=0&second=9',
      400,
      { code: 'invalid_request', details: { error: 'invalid_request' } },
    ],
    ['/api/anchors?status=confirmed', 400, { code: 'invalid_request' }],
    ['/api/anchors?cursor=AAAA', 400, { error: 'invalid_cursor' }],
    ['/api/anchors/feed/publications?after=AAAA', 400, { error: 'invalid_cursor' }],
    [`/api/anchors/${'A'.repeat(32)}/publications`, 404, { error: 'not_found' }],
    ['/api/v1/consent/snapshot?bucket=7', 404, { error: 'snapshot_unknown' }],
    ['/api/v1/consent/nobody-declared-this', 404, { error: 'not_found' }],
    ['/api/v1/consent/snapshot?bucket=1024', 400, { success: false, error: 'invalid_request' }],
    ['/%', 404, { error: 'not_found' }],
  ])('answers %s with %d', async (path, status, body) => {
    const response = await get(path)
    expect([response.status, await response.json()]).toMatchObject([status, body])
  })

  it('is read-only, and readable for pages of any origin', async () => {
    const posted = await get('/api/anchors', { method: 'POST' })
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    const head = await get('/api/anchors/checkpoint', { method: 'HEAD' })
    expect([head.status, await head.text(), head.headers.get('access-control-allow-origin')]).toEqual([200, '', '*'])
  })

  it('says what it mirrors, and serves the evidence against a service that it refuses', async () => {
    expect(await json('/')).toMatchObject({
      mirrorOf: CORE,
      refused: [],
      logs: [{ log: ANCHOR_LOG, size: 301 }, {}, {}],
    })
    expect((await get('/api/logs')).headers.get('x-mirror-state')).toBe('following')
    deployment.anchors = [await anchorNo(999), ...deployment.anchors.slice(1)]
    deployment.anchorLog = anchorLog(deployment.anchors)
    await mirror.visit()
    expect(lines.at(-1)).toBe('core failed verification: fork. It is not followed any more. Run this with --evidence.')
    const served = await get('/api/anchors/checkpoint')
    expect(served.headers.get('x-mirror-state')).toBe('refusing')
    expect(await served.json()).toMatchObject({ statement: { size: 301 } })
    expect(await json('/evidence')).toMatchObject({ evidence: [{ source: 'core', reason: 'fork', at: NOW }] })
    expect(await json('/')).toMatchObject({ refused: [{ source: 'core', reason: 'fork' }] })
  })

  it('refuses a state file of another deployment', async () => {
    await expect(RunningMirror.start({ ...options, core: 'https://other.test' })).rejects.toThrow(
      'belongs to one deployment',
    )
  })
})
