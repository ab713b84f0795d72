import { err, ok, type Result } from '@svc/protocol/base/result'
import type { ContentTakedown, TakedownReason } from '@svc/protocol/operator/takedown'
import type { TakedownList } from '@svc/service'
import type { Admission, BlockSource, FileBlocks } from './block-source.ts'
import { type ContentId, readContentId } from './content-id.ts'
import type { PinStore } from './pin-store.ts'
import { type FileRefusal, UnixfsFile } from './unixfs-file.ts'

/** A file that may be read, and its blocks. */
export interface OpenFile {
  readonly file: UnixfsFile
  readonly blocks: FileBlocks
}

/** Unpins content wherever pins keep it, apart from the deployment's own store. */
export interface Unpinning {
  readonly unpinRequest: (requestId: string) => Promise<void>
}

/** Content by its CID, unless the operator took it down. */
export class ContentService {
  readonly #source: BlockSource
  readonly #pins: PinStore
  readonly #takedowns: TakedownList

  constructor(source: BlockSource, pins: PinStore, takedowns: TakedownList) {
    this.#source = source
    this.#pins = pins
    this.#takedowns = takedowns
  }

  /** Why content was taken down; null if it was not. */
  reasonFor({ name }: Pick<ContentId, 'name'>): Promise<TakedownReason | null> {
    return this.#takedowns.reasonFor(name)
  }

  async open(id: ContentId, admit: Admission, now: number): Promise<Result<OpenFile, FileRefusal>> {
    const { upload, reason } = await this.#pins.stateOf(id.name)
    if (reason !== null) return err({ reason: 'taken_down', why: reason })
    const blocks = this.#source.of({ root: id, upload }, admit, now)
    const file = await UnixfsFile.open(id, {
      get: (child) => blocks.get(child),
      takenDown: (children) => this.#takedowns.reasonFor(...children.map(({ name }) => name)),
    })
    if (file.ok) return ok({ file: file.value, blocks })
    await blocks.abandon()
    return file
  }

  /**
   * Refuses content from now on, then deletes its pins and its bytes. Idempotent: after a crash between the steps, the act
   * sent again deletes what is left. False for a CID that this service could not read anyway.
   */
  async takeDown(
    statement: ContentTakedown,
    { operator, unpinning, now }: { readonly operator: string; readonly unpinning: Unpinning; readonly now: number },
  ): Promise<boolean> {
    const id = readContentId(statement.subject.id)
    if (!id) return false
    const subject = { kind: 'pin', id: id.name } as const
    await this.#pins.recordTakedown({ ...statement, subject }, operator, now)
    for (const requestId of await this.#pins.requestsFor(id.name)) await unpinning.unpinRequest(requestId)
    await this.#pins.dropAll(id.name)
    return true
  }
}
