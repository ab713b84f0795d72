import { env } from 'cloudflare:workers'
import type { TakedownPage } from '@svc/protocol/operator/takedown'
import { expect } from 'vitest'
import { bucketOfAsset, rowsOf } from '../capsules/buckets.fixture.ts'
import { freshFile, get, register as registerCapsule, VIDEO } from '../capsules/capsules.fixture.ts'
import { caller } from '../harness.ts'
import { act, reindexAct } from '../vectors/reindex.fixture.ts'

export type Subject = { readonly kind: 'capsule' | 'text' | 'keypoints'; readonly id: string }
export const takedown = (subject: Subject, members: object = {}) =>
  reindexAct({
    type: 'svc/operator-takedown/v1',
    index: undefined,
    after: undefined,
    subject,
    reason: 'legal',
    ...members,
  })
export const takeDown = async (subject: Subject, members: object = {}) => {
  const answer = await act(await takedown(subject, members))
  expect(answer.status).toBe(200)
}
export const listed = async () => {
  const found: TakedownPage['takedowns'] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await get(`/api/takedowns${cursor === '' ? '' : `?cursor=${cursor}`}`)
    const { data } = body as { data: TakedownPage }
    found.push(...data.takedowns)
    cursor = data.cursor
  }
  return found
}
export const objects = async () => (await env.BLOBS.list()).objects.map(({ key }) => key)
export const bodyKeysOf = async (assetId: string) => {
  const select = env.DB.prepare('SELECT body_key FROM vector_sets WHERE asset_id = ?').bind(assetId)
  const { results } = await select.all<{ body_key: string }>()
  const capsules = (await rowsOf(bucketOfAsset(assetId), 'capsules')).filter(({ asset_id }) => asset_id === assetId)
  return [...results, ...capsules].map(({ body_key }) => body_key as string)
}

/** A video with vectors, registered by an identity of its own. */
export async function video() {
  const by = await caller()
  const vectors = { video: [{ at_ms: 0, values: Array.from({ length: 256 }, () => (Math.random() < 0.5 ? 1 : -1)) }] }
  const body = { ...(await by.client.provenance.sign(freshFile(), VIDEO)), vectors }
  const send = (replaced?: object) =>
    registerCapsule(by, body, { path: '/api/register/video', ...(replaced ? { replaced } : {}) })
  expect((await send()).status).toBe(200)
  return { id: body.capsule.assetId, send }
}
