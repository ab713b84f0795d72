import { type Client, type Device, makeKeyPackage } from '@svc/client'
import { type DevicePackage, publishedSchema, publishPackageSchema } from '@svc/protocol/key-directory'
import { statementHash } from '@svc/protocol/statement'
import type { Planned } from '../planned.ts'
import type { Sealer } from '../sealer.ts'
import { Book, dataOf, orNull, saying, sentBody } from './book.ts'

interface PackageClaim {
  readonly version: number
  readonly leafId: string
}

/** Packages of one device, each with a higher version than the one before. */
export class PackageBook extends Book<PackageClaim> {
  readonly #sealer: Sealer
  readonly #anyone: Client
  readonly #did: string
  readonly #device: Device
  #version: number
  #logged = 0

  /** `published` is the version that the directory has. */
  constructor(
    sealer: Sealer,
    anyone: Client,
    device: Device,
    published: { readonly did: string; readonly version: number },
  ) {
    super()
    this.#sealer = sealer
    this.#anyone = anyone
    this.#device = device
    this.#did = published.did
    this.#version = published.version
  }

  async next(): Promise<Planned> {
    this.#version += 1
    const version = this.#version
    const keyPackage = await makeKeyPackage(this.#device, Date.now(), { profile: 'open-v4' })
    const request = await this.#sealer.seal('PUT', ({ keyDirectory }) => keyDirectory.publish(keyPackage, { version }))
    const { credential } = publishPackageSchema.parse(sentBody(request))
    const leafId = statementHash(credential.statement)
    return this.planned(request, 200, { version, leafId }, `package ${this.#device.deviceId}`)
  }

  /**
   * The directory shows the newest that was acknowledged, or one that nobody heard of; and each of those has come into the
   * log, or comes within seconds.
   */
  async faults(): Promise<string[]> {
    const { deviceId } = this.#device
    const what = `package of ${deviceId}`
    const published = this.heard.map(({ answer }) => dataOf(answer, publishedSchema).package)
    const strange = this.heard.find(({ claim }, i) => published[i]?.leafId !== claim.leafId)
    if (strange) return [`${what}: another one was answered for ${strange.claim.version}`]
    const newest = await orNull(this.#sealer.client.keyDirectory.resolve(this.#did, deviceId, 'open-v4'))
    const least = Math.max(0, ...published.map(({ version }) => version))
    if ((newest?.version ?? 0) < least) return [`${what}: ${least} was acknowledged, and ${newest?.version} is there`]
    const sent = [...this.heard.map(({ claim }) => claim), ...this.unheard]
    if (newest && !sent.some(({ leafId }) => leafId === newest.leafId))
      return [`${what}: nobody sent ${newest.version}`]
    const found: string[] = []
    for (const one of published.slice(this.#logged)) found.push(...(await this.#faultsInLog(one)))
    for (const claim of this.unheard) if (claim.leafId === newest?.leafId) this.wasTaken(claim)
    if (newest && newest.version > least) found.push(...(await this.#faultsInLog(newest)))
    this.#logged = published.length
    return found
  }

  async #faultsInLog(published: DevicePackage): Promise<string[]> {
    try {
      await this.#anyone.transparency.waitFor(published, 20)
      return []
    } catch (error) {
      return [saying(`leaf of package ${published.version} of ${published.deviceId}`, error)]
    }
  }
}
