import { assetIdOf } from '@svc/protocol/provenance/capsules'
import { expectRefusal } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { bucketsAround } from '../capsules/buckets.fixture.ts'
import { freshFile, get, register as registerCapsule, VIDEO } from '../capsules/capsules.fixture.ts'
import { caller } from '../harness.ts'
import { act } from '../vectors/reindex.fixture.ts'
import { bodyKeysOf, listed, takeDown, takedown, video } from './takedowns.fixture.ts'

describe('a takedown that meets a registration', () => {
  it.each(['admit', 'complete'])('leaves nothing of one that has come to "%s"', async (step) => {
    const [file, first, late] = [freshFile(), await caller(), await caller()]
    const path = '/api/register/video'
    const id = assetIdOf(file)
    expect((await registerCapsule(first, await first.client.provenance.sign(file, VIDEO), { path })).status).toBe(200)
    let isTaken = false
    const replaced = bucketsAround(async (method, work) => {
      if (method === step && !isTaken) {
        isTaken = true
        await takeDown({ kind: 'capsule', id })
      }
      return work()
    })
    const body = await late.client.provenance.sign(file, VIDEO)
    expectRefusal(await registerCapsule(late, body, { path, replaced }), 'taken_down')
    expect(isTaken).toBe(true)
    expectRefusal(await registerCapsule(late, body, { path }), 'taken_down')
    expectRefusal(await get(`/api/capsule/${id}`), 'taken_down')
    expect(await bodyKeysOf(id)).toEqual([])
  })

  it('twenty at once: one is recorded', async () => {
    const { id } = await video()
    const acts = await Promise.all(Array.from({ length: 20 }, () => takedown({ kind: 'capsule', id })))
    const answers = await Promise.all(acts.map((signed) => act(signed)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect((await listed()).filter(({ subject }) => subject.id === id)).toHaveLength(1)
  })
})
