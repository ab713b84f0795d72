import { placedBy } from '@svc/log'
import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { type SignedWithheld, withheldLeafId, withheldLine } from '@svc/protocol/ledger/withheld'
import type { LogPosition } from '@svc/protocol/merkle/log-name'
import type { IdentityService } from '../identity/service.ts'
import { BodyBundles } from './body-bundles.ts'
import { AnchorFiles } from './files.ts'
import type { AnchorIndex } from './index-store.ts'
import type { AnchorLogObject } from './log-object.ts'
import { noticeOf, type WithheldFile, WithheldFiles } from './withheld-files.ts'

interface WithholdingParts {
  readonly bucket: R2Bucket
  readonly index: AnchorIndex
  readonly identities: IdentityService
  /** The log that takes leaves, or one before it. */
  readonly configured: string
  readonly logObject: (log: string) => DurableObjectStub<AnchorLogObject>
}

/**
 * Withholds an anchor. First the act is a leaf of the log, then the body goes from every place, and the name of its leaf
 * last: a withholding that was interrupted anywhere goes on when the operator sends the act again, or another one.
 */
export class Withholding {
  readonly #parts: WithholdingParts
  readonly #files: AnchorFiles
  readonly #withheld: WithheldFiles
  readonly #bundles: BodyBundles

  constructor(parts: WithholdingParts) {
    this.#parts = parts
    this.#files = new AnchorFiles(parts.bucket)
    this.#withheld = new WithheldFiles(parts.bucket)
    this.#bundles = new BodyBundles(parts.bucket)
  }

  async run(act: SignedWithheld): Promise<Result<object, { readonly reason: 'not_found' }>> {
    const { leaf } = act.statement
    const anchorId = await this.#files.nameOf(leaf)
    if (anchorId === null) return (await this.#withheld.find(leaf)) ? ok({}) : err({ reason: 'not_found' })
    const known = await this.#withheld.find(leaf)
    const file = known ?? (await this.#withheld.claim(act, await this.#placeOf(anchorId), this.#parts.configured))
    await this.#erase(anchorId, file.index === null ? await this.#logged(file) : file)
    return ok({})
  }

  /** The position of the anchor. Delivers an anchor that has none yet, so that its leaf precedes the act. */
  async #placeOf(anchorId: string): Promise<LogPosition> {
    const indexed = await this.#parts.index.find(anchorId)
    if (indexed) return indexed.position
    const body = await this.#files.find(anchorId)
    const record =
      body && (await this.#parts.identities.ask(body.owner, async (identity) => identity.deliverAnchor(anchorId)))
    if (!record?.position) throw new DependencyFault('anchors')
    return record.position
  }

  /** The act with its place in a log. What a closed log has not taken belongs to the next one. */
  async #logged(file: WithheldFile): Promise<WithheldFile> {
    const leaves = [{ leafId: withheldLeafId(file.act.statement.leaf), entry: withheldLine(file.act) }]
    for (let { log } = file; ; ) {
      const object = this.#parts.logObject(log)
      const taken = placedBy(await object.submit(log, Date.now(), leaves))
      if (!taken) throw new DependencyFault('log')
      const [place] = taken.places
      if (place) {
        const logged = { ...file, log, index: place.index }
        await this.#withheld.put(logged)
        await object.acknowledge(log, [place.index])
        return logged
      }
      if (taken.next === null) throw new DependencyFault('log')
      log = taken.next
      await this.#withheld.put({ ...file, log })
    }
  }

  /** Each step is idempotent, and what needs the body comes before the body goes. */
  async #erase(anchorId: string, file: WithheldFile): Promise<void> {
    const { index, identities } = this.#parts
    const { leaf } = file.act.statement
    const notice = noticeOf(file)
    if (!notice) throw new DependencyFault('log')
    const body = await this.#files.find(anchorId)
    if (body) await identities.ask(body.owner, async (identity) => identity.withholdAnchor(anchorId, leaf))
    await index.withhold(file.place, anchorId, notice)
    await this.#files.withhold(anchorId, leaf)
    await this.#bundles.withhold(file.place)
    await this.#files.forgetName(leaf)
  }
}
