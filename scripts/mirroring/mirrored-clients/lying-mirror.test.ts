import type { Client, ClientOptions, Fetch } from '@svc/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FakeDeployment } from '../deployment.fixture.ts'
import type { RunningMirror } from '../running-mirror.ts'
import {
  ACCOUNT,
  BUCKET,
  headAt,
  LABEL,
  MAP_AT,
  NOW,
  OTHER,
  OWNER,
  publicationNo,
  publishedNo,
  publisherKeyB64u,
} from '../signed-parts.fixture.ts'
import { clientOf as clientWith, down, mirrorFor, network } from './mirrored-client.fixture.ts'

let deployment: FakeDeployment
let mirror: RunningMirror
beforeAll(async () => {
  deployment = await FakeDeployment.create()
  deployment.publications = [await publicationNo(0)]
  mirror = await mirrorFor(deployment)
})
afterAll(() => mirror.stop())
const clientOf = (options: Partial<ClientOptions> = {}) => clientWith(mirror, { publisherKeyB64u, ...options })

describe('a lying mirror is caught', () => {
  const lies: readonly [
    string,
    string,
    (body: string) => string,
    (client: Client) => Promise<unknown>,
    ((path: string) => string)?,
  ][] = [
    [
      'another root of a record',
      'bundle',
      (body) => body.replace(/"root":"[0-9a-f]{96}"/, `"root":"${'a7'.repeat(48)}"`),
      readFirst,
    ],
    ['another owner', 'bundle', (body) => body.replaceAll(OWNER, `did:svc:${'C'.repeat(32)}`), readFirst],
    ['another place in the log', 'bundle', (body) => body.replace('"index":1', '"index":2'), readFirst],
    [
      'a confirmation that nothing proves',
      'bundle',
      (body) => body.replace('"submitted"', '"confirmed"'),
      (client) => client.anchors.bundle(deployment.anchors[0]!.anchorId),
    ],
    [
      'another state of a report',
      'publications',
      (body) => body.replace('"state":"published"', '"state":"confirmed"'),
      readFirst,
    ],
    [
      'a report about another anchor',
      'publications',
      (body) => body.replace(/"leaf":"[^"]*"/, `"leaf":"${'a7'.repeat(48)}"`),
      readFirst,
    ],
    [
      'a checkpoint that the log did not sign',
      'checkpoint',
      (body) => body.replace('"size":4', '"size":5'),
      (client) => client.anchors.checkpoint(),
    ],
    [
      'a later time of a checkpoint',
      'checkpoint',
      (body) => body.replace(`${NOW - 1_000}`, `${NOW}`),
      (client) => client.transparency.checkpoint(),
    ],
    [
      'a list that nobody signed',
      'logs',
      (body) => body.replaceAll('"state":"open"', '"state":"announced"'),
      (client) => client.transparency.checkpoint(),
    ],
    [
      'another number of an update',
      'proof',
      (body) => body.replace('"seq":1', '"seq":2'),
      (client) => client.transparency.prove(publishedNo(1)),
    ],
    [
      'an account without its last update',
      'proof',
      (body) => body.replaceAll(headAt(3).head, headAt(2).head).replaceAll('"seq":3', '"seq":2'),
      (client) => client.transparency.account(ACCOUNT),
    ],
    [
      'an account that it says is absent',
      'proof',
      (body) =>
        body
          .replace('"present"', '"absent"')
          .replace(
            /"seq":3,"head":"[0-9a-f]{96}","terminal":\{[^}]*\}/,
            `"seq":0,"head":"${headAt(0).head}","terminal":null`,
          ),
      (client) => client.transparency.account(ACCOUNT),
    ],
    [
      'the path of another account',
      'proof',
      (body) => body,
      (client) => client.transparency.account(ACCOUNT),
      (path) => path.replace(LABEL, OTHER.label),
    ],
    [
      'a map that the log does not have',
      'proof',
      (body) => body.replace(/\\"root\\":\\"[0-9a-f]{96}/, `\\"root\\":\\"${'a7'.repeat(48)}`),
      (client) => client.transparency.account(ACCOUNT),
    ],
    [
      'a later time of a map',
      'proof',
      (body) => body.replace(`\\"at\\":${MAP_AT}`, `\\"at\\":${NOW}`),
      (client) => client.transparency.account(ACCOUNT),
    ],
    [
      'an update that was replaced',
      'audit',
      (body) => body.replace(/"statementHashes":\["[0-9a-f]{96}/, `"statementHashes":["${'a7'.repeat(48)}`),
      (client) => client.transparency.follow(ACCOUNT),
    ],
    [
      'an update that was left out',
      'audit',
      (body) => body.replace(/"statementHashes":\["[0-9a-f]{96}",/, '"statementHashes":['),
      (client) => client.transparency.follow(ACCOUNT),
    ],
    [
      'a withdrawn opt-out',
      'snapshot',
      (body) => body.replace('"ai_training":"disallow"', '"ai_training":"allow"'),
      (client) => client.consent.snapshot({ buckets: [BUCKET] }),
    ],
    [
      'a bucket without its records',
      'snapshot',
      (body) => body.replace(/"entries":\[.*\]/, '"entries":[]'),
      (client) => client.consent.snapshot({ buckets: [BUCKET] }),
    ],
  ]

  it.each(lies)('%s', async (_, path, lie, ask, elsewhere = (address) => address) => {
    let isChanged = false
    const changing = network(down, (body, { pathname }) => {
      const changed = pathname.includes(path) ? lie(body) : body
      isChanged ||= changed !== body
      return changed
    })
    const fetch: Fetch = (address, init) => {
      isChanged ||= elsewhere(address) !== address
      return changing(elsewhere(address), init)
    }
    await expect(ask(clientOf({ fetch }))).rejects.toMatchObject({
      name: expect.stringMatching(/VerificationError|ForkError/),
    })
    expect(isChanged).toBe(true)
  })
})

function readFirst(client: Client): Promise<unknown> {
  return client.anchors.read(deployment.anchors[0]!.anchorId)
}
