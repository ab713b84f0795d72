import type { Client, Device } from '@svc/client'
import { makeKeyPackage } from '@svc/client/functions'
import { statementHash } from '@svc/protocol/base/statement'
import { type DevicePackage, publishedSchema, publishPackageSchema } from '@svc/protocol/keys/directory'
import type { Planned } from '../planned.ts'
import type { Sealer } from '../sealer.ts'
import { Book, dataOf, orNull, saying, sentBody } from './book.ts'

interface PackageClaim {
  readonly version: number
  readonly statementHash: string
}

const hashOf = ({ credential }: DevicePackage) => statementHash(credential.statement)

/** Packages of one device, with increasing versions. */
export class PackageBook extends Book<PackageClaim> {
  readonly #sealer: Sealer
  readonly #anyone: Client
  readonly #did: string
  readonly #device: Device
  #version: number
  #logged = 0

  /** `published` is the current version in the directory. */
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
    const keyPackage = await makeKeyPackage(
      this.#device,
      { realm: this.#sealer.client.realm, now: Date.now() },
      { profile: 'open-v4' },
    )
    const request = await this.#sealer.seal('PUT', ({ keyDirectory }) => keyDirectory.publish(keyPackage, { version }))
    const { credential } = publishPackageSchema.parse(sentBody(request))
    const claim = { version, statementHash: statementHash(credential.statement) }
    return this.planned(request, 200, claim, `package ${this.#device.deviceId}`)
  }

  /**
   * The directory has the newest acknowledged version or an unanswered one, and each of these is in the log, or will be
   * within seconds.
   */
  async faults(): Promise<string[]> {
    const { deviceId } = this.#device
    const what = `package of ${deviceId}`
    const published = this.heard.map(({ answer }) => dataOf(answer, publishedSchema).package)
    const strange = this.heard.find(({ claim }, i) => {
      const one = published[i]
      return !one || hashOf(one) !== claim.statementHash
    })
    if (strange) return [`${what}: another package was returned for ${strange.claim.version}`]
    const newest = await orNull(this.#sealer.client.keyDirectory.resolve(this.#did, deviceId, 'open-v4'))
    const least = Math.max(0, ...published.map(({ version }) => version))
    if ((newest?.version ?? 0) < least) return [`${what}: ${least} was acknowledged, but ${newest?.version} is current`]
    const sent = [...this.heard.map(({ claim }) => claim), ...this.unheard]
    if (newest && !sent.some((claim) => claim.statementHash === hashOf(newest)))
      return [`${what}: ${newest.version} was never sent`]
    const found: string[] = []
    for (const one of published.slice(this.#logged)) found.push(...(await this.#faultsInLog(one)))
    for (const claim of this.unheard) if (newest && claim.statementHash === hashOf(newest)) this.wasTaken(claim)
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
