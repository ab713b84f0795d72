import type { Platform } from '@svc/platform'
import type { Api } from '@svc/platform/documented-api'
import { type MlDsa65, mlDsa65 } from '@svc/pqc'
import { walkthrough } from '@svc/walkthrough'
import { Impostor, typesIn } from './impostor.ts'
import { signedKinds } from './signed-kinds.ts'

export interface Impersonation {
  /** A sentence for each forgery that was not refused, and for each step of the walk-through that failed. */
  readonly failures: readonly string[]
  readonly presented: number
  readonly places: number
}

/** Operations that take a statement and that the walk-through does not send, each with the reason. */
const UNSENT: Readonly<Record<string, string>> = {
  'auth keepPasskeySecret': 'takes what a browser has encrypted with a passkey; nothing in it is signed',
  'core batchDevices': 'takes the events of attestDevice and changeDevice, which are sent',
  'core cosignAnchorLog': 'only a witness sends it',
  'keys cosignCheckpoint': 'only a witness sends it',
}

/** Operations whose body has a signed statement, and at which nothing was presented. */
function unreached(api: Api, reached: ReadonlySet<string>): string[] {
  return api.operations.flatMap(({ service, documented: { operationId, requestBody } }) => {
    const about = `${service} ${operationId}`
    const types = typesIn(requestBody?.content['application/json']?.schema, service, api)
    return types.size === 0 || reached.has(about) || about in UNSENT ? [] : [`${about} was not reached`]
  })
}

/**
 * Walks through a running platform, and presents wherever it sends a signature what the same key signs as every other
 * kind. That each step still gives its expected result shows that no forgery changed anything.
 */
export async function impersonate(platform: Platform, api: Api, seed: number): Promise<Impersonation> {
  const library = { ...mlDsa65 }
  const signWith = ({ sign, signerOf }: Pick<MlDsa65, 'sign' | 'signerOf'>) =>
    Object.assign(mlDsa65, { sign, signerOf })
  const send = globalThis.fetch
  const kinds = await signedKinds(1, seed)
  const impostor = new Impostor({ urls: platform.urls, api, kinds, mlDsa65: library, fetch: send })
  const steps: string[] = []
  try {
    const { sign } = impostor
    const signerOf: MlDsa65['signerOf'] = async (secret) => {
      const own = secret.slice()
      return (message) => sign(own, message)
    }
    signWith({ sign, signerOf })
    globalThis.fetch = impostor.fetch
    const { urls, secrets, gateway, mail } = platform
    await walkthrough({ urls, secrets, gatewayUrl: gateway.url, mail, print: (line) => steps.push(line) })
  } catch (error) {
    steps.push(`FAIL ${String(error)}`)
  } finally {
    signWith(library)
    globalThis.fetch = send
  }
  const failed = steps.filter((line) => line.startsWith('FAIL'))
  const missed = unreached(api, impostor.reached)
  return { failures: [...impostor.taken, ...failed, ...missed], presented: impostor.presented, places: impostor.places }
}
