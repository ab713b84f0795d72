import { Client, type ClientOptions, type Discovery, Identity } from '@svc/client'
import { operatorKeyOf, signOperatorAct } from '@svc/client/operator'
import type { OperatorAct } from '@svc/operations/operator-act'
import { freshAddress } from '@svc/platform/callers/send'
import type { RunningPlatform } from '@svc/platform/running'
import type { Memories } from './memories.ts'

export const LOCAL_ORIGIN = 'http://localhost:3000'
/** The token that Turnstile's widget returns with its testing keys. */
export const DUMMY_TOKEN = 'XXXX.DUMMY.TOKEN.XXXX'

/** As far ahead as a clock may be: what an operator signed can be sent again for as long as possible. */
const AHEAD_MS = 280_000

export interface Someone {
  readonly identity: Identity
  readonly client: Client
}

/** Who writes, and where. */
export class Cast {
  readonly stage: RunningPlatform
  readonly memories: Memories
  readonly anyone: Client
  /** All identities that were created. */
  readonly dids: string[] = []

  readonly #discovery: Discovery

  private constructor(stage: RunningPlatform, memories: Memories, discovery: Discovery) {
    this.stage = stage
    this.memories = memories
    this.#discovery = discovery
    this.anyone = new Client(this.#options)
  }

  static async create(stage: RunningPlatform, memories: Memories): Promise<Cast> {
    const { discovery } = await Client.connect({ core: stage.urls.core })
    if (!discovery) throw new TypeError('A connected client has what it discovered')
    return new Cast(stage, memories, discovery)
  }

  async someone(): Promise<Someone> {
    const identity = await Identity.create()
    const client = this.clientOf(identity)
    await client.chain.genesis()
    this.dids.push(identity.did)
    return { identity, client }
  }

  clientOf(identity: Identity): Client {
    return new Client({ ...this.#options, identity })
  }

  /** Performs an act of the operator, and remembers that it was: nobody can perform it again. */
  async perform(act: OperatorAct | null): Promise<unknown> {
    if (!act) throw new Error('not an act')
    const { urls, secrets } = this.stage
    const { path, ...told } = act
    const url = urls[act.service] + (path ?? '/api/operator/acts')
    const key = operatorKeyOf(secrets.operatorSeed)
    const body = JSON.stringify(await signOperatorAct(key, urls.core, told, Date.now() + AHEAD_MS))
    const answer = await post(url, body)
    if (!answer.ok) throw new Error(`the act ${act.type} was refused with ${answer.status}`)
    if (path === undefined)
      this.memories.refuses(`${act.type}, performed again`, async () => {
        const { error } = (await (await post(url, body)).json()) as { readonly error?: string }
        return error === 'statement_replay' || error === 'statement_expired'
      })
    return answer.json()
  }

  get #options(): ClientOptions {
    const addressed: ClientOptions['fetch'] = (url, init) => {
      const request = new Request(url, init)
      request.headers.set('cf-connecting-ip', freshAddress())
      return fetch(request)
    }
    return { ...this.stage.urls, origin: LOCAL_ORIGIN, fetch: addressed, discovery: this.#discovery }
  }
}

function post(url: string, body: string): Promise<Response> {
  const headers = { 'content-type': 'application/json', 'cf-connecting-ip': freshAddress(), origin: LOCAL_ORIGIN }
  return fetch(url, { method: 'POST', headers, body })
}
