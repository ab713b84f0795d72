import { evenly, type Frame, type SampledFrame, sampleFrames } from '#fingerprint/images'
import type { RegisteredCapsule } from '#protocol/provenance/capsules'
import { MAX_MATCHES, VECTOR_RULES } from '#protocol/provenance/vector-services'
import { checkCall, type Members } from '../arguments/check.ts'
import type { CapsuleFacts, Provenance } from '../provenance/provenance.ts'

/** A registered video that shows the same pictures as the one searched for. */
export interface VideoMatch {
  readonly assetId: string
  /** The identity that registered it. Who is first here is not who made it. */
  readonly did: string
  /** 0 to 1: how much of the video is found, or for a clip, how much of the clip. */
  readonly score: number
  /** For each frame that was found: when it is shown in the registered video, and in the one searched for, ms. */
  readonly frames: readonly { readonly atMs: number; readonly queryAtMs: number; readonly distance: number }[]
}

export interface VideoSearchOptions {
  /** Finds videos that contain this one as a part. */
  readonly clip?: boolean
}

type Frames = Iterable<Frame> | AsyncIterable<Frame>
const { maxVectors, maxQueryVectors } = VECTOR_RULES.video

const VIDEO_FACTS: Members<Omit<CapsuleFacts, 'kind'>> = {
  mime: 1,
  width: 0,
  height: 0,
  durationMs: 0,
  perceptual: 0,
  keypointsHash: 0,
  metadataHash: 0,
  capturedAt: 0,
}

/**
 * Signs and registers a capsule of a video file that searches find by frames of it, at most 1,000. `file` is only hashed.
 * Costs one unit of `capsule`; see `register` for what it throws. Throws a RangeError, and registers nothing, if no frame
 * has enough detail.
 */
export async function registerVideo(
  provenance: Pick<Provenance, 'sign' | 'register'>,
  file: Uint8Array,
  frames: Frames,
  facts: Omit<CapsuleFacts, 'kind'>,
): Promise<RegisteredCapsule> {
  checkCall(
    'registerVideo',
    [provenance, file, frames, facts],
    ['provenance', 'file', 'frames', ['facts', VIDEO_FACTS]],
  )
  const sampled = await detailed(frames, maxVectors)
  const signed = await provenance.sign(file, { ...facts, kind: 'video' })
  const video = sampled.map(({ atMs, values }) => ({ at_ms: Math.round(atMs), values: [...values] }))
  return provenance.register(signed, { vectors: { video } })
}

/**
 * Registered videos with the same pictures, the best match first. Of more than 100 different frames, a hundred evenly
 * spaced ones are sent: search for a part of a long video to compare all of it.
 */
export async function searchVideo(
  provenance: Pick<Provenance, 'search'>,
  frames: Frames,
  options: VideoSearchOptions = {},
): Promise<VideoMatch[]> {
  checkCall('searchVideo', [provenance, frames, options], ['provenance', 'frames', ['options?', { clip: 0 }]])
  const { clip = false } = options
  const sampled = evenly(await detailed(frames, maxVectors), maxQueryVectors)
  const kind = clip ? 'video-fragment' : 'video'
  const vectors = sampled.map(({ values }) => values)
  const { matches } = await provenance.search(kind, vectors, { limit: MAX_MATCHES })
  return matches.map(({ asset_id: assetId, did, score, vectors: found }) => ({
    assetId,
    did,
    score,
    frames: found.map(({ query, distance, at_ms: atMs = 0 }) => ({
      atMs,
      queryAtMs: sampled[query]?.atMs ?? 0,
      distance,
    })),
  }))
}

async function detailed(frames: Frames, maxFrames: number): Promise<SampledFrame[]> {
  const sampled = await sampleFrames(frames, { maxFrames })
  if (sampled.length > 0) return sampled
  throw new RangeError('no frame of the video has enough detail to be told from others')
}
