/** Files a device downloads before it computes vectors or keypoints (workers/docs/pages/developer/vectors.md). */
import * as z from 'zod'
import { hashSchema } from '../base/hash.ts'
import { pure } from '../base/pure.ts'
import { cursorSchema } from '../merkle/cursor.ts'

export const MODEL_FILE = /^[a-z0-9][a-z0-9._-]{0,99}$/
export const RUNTIME_VERSION = /^[0-9]{1,4}\.[0-9]{1,4}\.[0-9]{1,4}$/
export const RUNTIME_FILE = /^ort-wasm[a-z0-9.-]{0,80}\.(?:wasm|mjs)$/
export const KEYPOINT_FILE = /^[0-9a-f]{96}\.akpb$/
/** A thousand keypoints with their descriptors are about 90 kB. */
export const MAX_KEYPOINT_BYTES = 524_288

export const modelManifestSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      version: z.literal(1),
      artefacts: z.array(
        z
          .strictObject({
            file: z.string().regex(MODEL_FILE),
            bytes: z.int().min(1),
            sha3_384: hashSchema,
          })
          .meta({ id: 'ModelArtefact', description: 'Served at `/models/{file}`; verify the hash after download' }),
      ),
    })
    .meta({ id: 'ModelManifest', description: 'Files this deployment serves; the bytes behind a name never change' }),
)
export type ModelManifest = z.infer<typeof modelManifestSchema>

export const keypointsSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      hash: hashSchema,
      path: z.string().meta({ description: 'Public download path', example: `/keypoints/${'a7'.repeat(48)}.akpb` }),
      bytes: z.int().min(1),
      duplicate: z.boolean().meta({ description: 'Whether it was already stored' }),
    })
    .meta({ id: 'Keypoints' }),
)
export type Keypoints = z.infer<typeof keypointsSchema>

export const MAX_PAGE_KEYPOINTS = 100
export const keypointQuerySchema = /* @__PURE__ */ pure(() => z.strictObject({ cursor: cursorSchema.optional() }))

export const keptKeypointsSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      hash: hashSchema,
      bytes: z.int().min(1),
      keptAt: z.number().meta({ description: 'When this identity uploaded it, epoch ms' }),
    })
    .meta({ id: 'KeptKeypoints' }),
)
export type KeptKeypoints = z.infer<typeof keptKeypointsSchema>

export const keypointPageSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ keypoints: z.array(keptKeypointsSchema), cursor: cursorSchema.nullable() })
    .meta({ id: 'KeypointPage', description: 'By hash; `cursor` is null on the last page' }),
)
export type KeypointPage = z.infer<typeof keypointPageSchema>

export const keypointsDeletedSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ hash: hashSchema, deleted: z.literal(true) }).meta({ id: 'KeypointsDeleted' }),
)

/** Object keys in the store, shared by provisioning and serving. */
export const FILE_PREFIXES = { models: 'models/', runtimes: 'ort/' } as const
export const MANIFEST_KEY = `${FILE_PREFIXES.models}manifest.json`
export const modelKey = (file: string) => `${FILE_PREFIXES.models}files/${file}`
/** Written after the files of a version, like the models' manifest. Files it does not list are not served. */
export const runtimeManifestKey = (version: string) => `${FILE_PREFIXES.runtimes}${version}/manifest.json`
export const runtimeKey = (version: string, file: string) => `${FILE_PREFIXES.runtimes}${version}/${file}`
