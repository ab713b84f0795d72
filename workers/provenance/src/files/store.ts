import { DependencyFault, reaching } from '@svc/protocol/base/dependency-fault'
import {
  MANIFEST_KEY,
  type ModelManifest,
  modelKey,
  modelManifestSchema,
  runtimeKey,
  runtimeManifestKey,
} from '@svc/protocol/provenance/model-files'
import type { ByteRange } from '@svc/service'

export interface StoredFile {
  readonly key: string
  /** SHA3-384 of the whole file. */
  readonly hash: string
  readonly bytes: number
}

/** Files in R2. Each key is written once and its bytes never change. */
export class FileStore {
  readonly #blobs: R2Bucket

  constructor(blobs: R2Bucket) {
    this.#blobs = blobs
  }

  async findRuntime(version: string, file: string): Promise<StoredFile | null> {
    return this.#named(await this.#manifestAt(runtimeManifestKey(version)), file, runtimeKey(version, file))
  }

  async findModel(file: string): Promise<StoredFile | null> {
    return this.#named(await this.manifest(), file, modelKey(file))
  }

  /** Null if the deployment serves no models. */
  manifest(): Promise<ModelManifest> {
    return this.#manifestAt(MANIFEST_KEY)
  }

  async #manifestAt(key: string): Promise<ModelManifest> {
    const text = await reaching('blobs', async () => (await this.#blobs.get(key))?.text())
    if (text === undefined) return { version: 1, artefacts: [] }
    return reaching('blobs', async () => modelManifestSchema.parse(JSON.parse(text)))
  }

  /**
   * Returns null for a file that is not in the manifest. Throws a store fault for one that is in the manifest but is
   * missing or has another length. The reader verifies the hash.
   */
  async #named({ artefacts }: ModelManifest, file: string, key: string): Promise<StoredFile | null> {
    const artefact = artefacts.find((candidate) => candidate.file === file)
    if (!artefact) return null
    const object = await reaching('blobs', () => this.#blobs.head(key))
    if (object?.size !== artefact.bytes)
      throw new DependencyFault('blobs', { cause: new Error('not what its manifest says') })
    return { key, hash: artefact.sha3_384, bytes: artefact.bytes }
  }

  /** Reads the bytes of a file that was found, or a range of them. */
  async read({ key }: StoredFile, { start, end }: ByteRange): Promise<ReadableStream<Uint8Array>> {
    const range = { offset: start, length: end - start }
    const object = await reaching('blobs', () => this.#blobs.get(key, { range }))
    if (!object) throw new DependencyFault('blobs', { cause: new Error('gone') })
    return object.body
  }
}
