/** Files that a device loads before it makes vectors or keypoints (document 2 section 4.1). */
import * as z from 'zod'
import { hashSchema } from './hash.ts'

export const MODEL_FILE = /^[a-z0-9][a-z0-9._-]{0,99}$/
export const RUNTIME_VERSION = /^[0-9]{1,4}\.[0-9]{1,4}\.[0-9]{1,4}$/
export const RUNTIME_FILE = /^ort-wasm[a-z0-9.-]{0,80}\.(?:wasm|mjs)$/
export const KEYPOINT_FILE = /^[0-9a-f]{96}\.akpb$/
/** A thousand keypoints with their descriptors take about 90 kB. */
export const MAX_KEYPOINT_BYTES = 524_288

export const modelManifestSchema = z
  .strictObject({
    version: z.literal(1),
    artefacts: z.array(
      z
        .strictObject({
          file: z.string().regex(MODEL_FILE),
          bytes: z.int().min(1),
          sha3_384: hashSchema,
        })
        .meta({ id: 'ModelArtefact', description: '`/models/{file}`; whoever loads it checks the hash' }),
    ),
  })
  .meta({ id: 'ModelManifest', description: 'What this deployment serves; a name never stands for other bytes' })
export type ModelManifest = z.infer<typeof modelManifestSchema>

export const keypointsSchema = z
  .strictObject({
    hash: hashSchema,
    path: z.string().meta({ description: 'Where anybody fetches it', example: `/keypoints/${'a7'.repeat(48)}.akpb` }),
    bytes: z.int().min(1),
    duplicate: z.boolean().meta({ description: 'It was there before' }),
  })
  .meta({ id: 'Keypoints' })
export type Keypoints = z.infer<typeof keypointsSchema>

/** Where the parts are in the store, which provisioning and serving agree on. */
export const MANIFEST_KEY = 'models/manifest.json'
export const modelKey = (file: string) => `models/files/${file}`
/** Written after the files of a version, like that of the models: what it does not name is not served. */
export const runtimeManifestKey = (version: string) => `ort/${version}/manifest.json`
export const runtimeKey = (version: string, file: string) => `ort/${version}/${file}`
export const keypointKey = (hash: string) => `keypoints/${hash}.akpb`
