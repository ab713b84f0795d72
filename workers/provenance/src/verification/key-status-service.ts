import { deviceIdOf, deviceRecordSchema } from '@svc/protocol/base/device'
import { userIdOfKey } from '@svc/protocol/base/identity'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { keyScopeSchema } from '@svc/protocol/internal/core'
import type { KeyStatus } from '@svc/protocol/provenance/signature-check'
import type { InternalClient } from '@svc/service'
import { currentRoot, deviceStatus, refusedDevice, refusedRoot } from './key-status.ts'

type Unavailable = { readonly reason: 'unavailable' }

/** Asks core for the status of a key. An answer about no key or another key is a failure, never `unknown`. */
export class KeyStatusService {
  readonly #core: InternalClient

  constructor(core: InternalClient) {
    this.#core = core
  }

  async statusOf(publicKeyB64u: string, now: number): Promise<Result<KeyStatus, Unavailable>> {
    const userId = userIdOfKey(publicKeyB64u)
    const scope = await this.#core.call({ method: 'GET', path: `/api/internal/key-scope/${userId}` }, keyScopeSchema)
    if (scope.ok) {
      const isIt = scope.value.userId === userId && scope.value.publicKeyB64u === publicKeyB64u
      return isIt ? ok(currentRoot(scope.value)) : err({ reason: 'unavailable' })
    }
    if (scope.error.reason === 'unavailable') return err({ reason: 'unavailable' })
    const refused = refusedRoot(scope.error.error)
    if (refused) return ok(refused)
    return scope.error.error === 'not_found' ? this.#device(publicKeyB64u, now) : err({ reason: 'unavailable' })
  }

  async #device(publicKeyB64u: string, now: number): Promise<Result<KeyStatus, Unavailable>> {
    const path = `/api/internal/device/${deviceIdOf(publicKeyB64u)}`
    const record = await this.#core.call({ method: 'GET', path }, deviceRecordSchema)
    if (record.ok) {
      const isIt = record.value.publicKeyB64u === publicKeyB64u
      return isIt ? ok(deviceStatus(record.value, now)) : err({ reason: 'unavailable' })
    }
    const refused = record.error.reason === 'refused' ? refusedDevice(record.error.error) : null
    return refused ? ok(refused) : err({ reason: 'unavailable' })
  }
}
