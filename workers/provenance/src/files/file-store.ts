import { DependencyFault, reaching } from '@svc/protocol/dependency-fault'
import { hashHex } from '@svc/protocol/hash'
import {
  keypointKey,
  MANIFEST_KEY,
  type ModelManifest,
  modelKey,
  modelManifestSchema,
  runtimeKey,
} from '@svc/protocol/model-files'
import type { ByteRange } from '@svc/service'

export interface StoredFile {
  readonly key: string
  /** SHA3-384 of the whole. */
  readonly hash: string
  readonly bytes: number
}

/** Files in R2, each written once under a key that never gets other bytes. */
export class FileStore {
  readonly #blobs: R2Bucket

  constructor(blobs: R2Bucket) {
    this.#blobs = blobs
  }

  isHashOf(blob: Uint8Array, hash: string): boolean {
    return hashHex(blob) === hash
  }

  /** Keeps a blob under its hash. The same blob again changes nothing. */
  async keepKeypoints(blob: Uint8Array): Promise<{ readonly hash: string; readonly duplicate: boolean }> {
    const hash = hashHex(blob)
    const onlyIf = { etagDoesNotMatch: '*' }
    const customMetadata = { sha3_384: hash }
    const put = await reaching('blobs', () => this.#blobs.put(keypointKey(hash), blob, { onlyIf, customMetadata }))
    return { hash, duplicate: put === null }
  }

  findKeypoints(hash: string): Promise<StoredFile | null> {
    return this.#find(keypointKey(hash), hash)
  }

  findRuntime(version: string, file: string): Promise<StoredFile | null> {
    return this.#find(runtimeKey(version, file))
  }

  /** A file that the manifest does not name is none, and one that is not what it names is a fault. */
  async findModel(file: string): Promise<StoredFile | null> {
    const { artefacts } = await this.manifest()
    const artefact = artefacts.find((candidate) => candidate.file === file)
    return artefact ? this.#find(modelKey(file), artefact.sha3_384) : null
  }

  /** Without one a deployment serves no models. */
  async manifest(): Promise<ModelManifest> {
    const text = await reaching('blobs', async () => (await this.#blobs.get(MANIFEST_KEY))?.text())
    if (text === undefined) return { version: 1, artefacts: [] }
    return reaching('blobs', async () => modelManifestSchema.parse(JSON.parse(text)))
  }

  /** The bytes of a file that was found, or a part of them. */
  async read({ key }: StoredFile, { start, end }: ByteRange): Promise<ReadableStream<Uint8Array>> {
    const range = { offset: start, length: end - start }
    const object = await reaching('blobs', () => this.#blobs.get(key, { range }))
    if (!object) throw new DependencyFault('blobs', { cause: new Error('gone') })
    return object.body
  }

  async #find(key: string, expectedHash?: string): Promise<StoredFile | null> {
    const object = await reaching('blobs', () => this.#blobs.head(key))
    if (!object) return null
    const hash = object.customMetadata?.['sha3_384']
    if (hash === undefined || (expectedHash !== undefined && hash !== expectedHash))
      throw new DependencyFault('blobs', { cause: new Error('not what its key says') })
    return { key, hash, bytes: object.size }
  }
}
