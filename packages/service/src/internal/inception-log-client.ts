import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import type { KnownInception } from '@svc/protocol/base/inception-head'
import { inceptionEventKnownSchema } from '@svc/protocol/internal/core'
import type { InternalClient } from './internal.ts'

/**
 * Looks up at core the events that statements name (workers/docs/pages/developer/statements.md, “Order”). A service that
 * refuses statements naming an older event must use it: after an invented event, nothing of its owner could follow.
 */
export class InceptionLogClient {
  readonly #core: InternalClient

  constructor(core: InternalClient) {
    this.#core = core
  }

  /** Whether the inception log of an identity has the event that a statement names; true if it names none. */
  async has(did: string, named: KnownInception): Promise<boolean> {
    if (named === null) return true
    const { sequence, hash } = named
    const path = `/api/internal/inception/${did}?sequence=${sequence}&hash=${hash}`
    const answer = await this.#core.call({ method: 'GET', path }, inceptionEventKnownSchema)
    const isAnswered = answer.ok && answer.value.did === did && answer.value.hash === hash
    if (!isAnswered) throw new DependencyFault('core')
    return answer.value.known
  }
}
