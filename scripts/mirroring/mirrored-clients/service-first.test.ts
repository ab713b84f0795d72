import { type ClientOptions, type Fetch, mirrorOf } from '@svc/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FakeDeployment } from '../deployment.fixture.ts'
import type { RunningMirror } from '../running-mirror.ts'
import { anchorLog, anchorNo, CORE, NOW } from '../signed-parts.fixture.ts'
import { type Answer, clientOf as clientWith, down, mirrorFor, network } from './mirrored-client.fixture.ts'

let deployment: FakeDeployment
let mirror: RunningMirror
beforeAll(async () => {
  deployment = await FakeDeployment.create()
  mirror = await mirrorFor(deployment)
})
afterAll(() => mirror.stop())
const clientOf = (options: Partial<ClientOptions> = {}) => clientWith(mirror, options)

describe('the service comes first', () => {
  it('is asked alone while it answers, and its refusals count', async () => {
    const client = clientOf({ fetch: network(async ({ href }) => deployment.fetch(href)) })
    const checkpoint = await client.anchors.checkpoint()
    expect(mirrorOf(checkpoint)).toBeNull()
    await expect(client.anchors.read(deployment.anchors[0]!.anchorId)).rejects.toMatchObject({ status: 404 })
  })

  it('is not asked again for 30 seconds while a mirror answers', async () => {
    let [asked, time] = [0, NOW]
    const fetch = network(() => {
      asked += 1
      return down(new URL(CORE), {})
    })
    const { anchors } = clientOf({ fetch, now: () => time })
    for (let i = 0; i < 3; i++) await anchors.checkpoint()
    expect(asked).toBe(1)
    time += 30_000
    await anchors.checkpoint()
    expect(asked).toBe(2)
  })

  it('keeps the headers that are meant for it', async () => {
    const seen: string[] = []
    const fetch: Fetch = async (address, init) => {
      const { origin } = new URL(address)
      if (new Headers(init.headers).has('x-secret')) seen.push(origin)
      return network(down)(address, init)
    }
    await clientOf({ fetch, headers: { 'x-secret': '1' } }).anchors.checkpoint()
    expect(new Set(seen)).toEqual(new Set([CORE]))
  })

  it('must extend what a mirror showed, and what it showed itself, when it is back', async () => {
    const grown = await FakeDeployment.create()
    await grown.add(1)
    let services: Answer = async ({ href }) => grown.fetch(href)
    let time = NOW
    const { anchors } = clientOf({ fetch: network((url, init) => services(url, init)), now: () => time })
    expect((await anchors.checkpoint()).statement.size).toBe(5)
    // The mirror is one anchor behind, and minutes have passed.
    services = down
    time += 120_000
    expect((await anchors.checkpoint()).statement.size).toBe(4)
    // A second history of the same size is a fork.
    const forked = await FakeDeployment.create()
    forked.anchors = [await anchorNo(90), ...grown.anchors.slice(1)]
    forked.anchorLog = anchorLog(forked.anchors)
    services = async ({ href }) => forked.fetch(href)
    time += 120_000
    await expect(anchors.checkpoint()).rejects.toMatchObject({ name: 'ForkError' })
  })
})
