import { Client } from '@svc/client'
import { IndexedDbStore } from '@svc/client/browser'
import { fetchOrRecall } from './kept-answers.ts'

let connecting: Promise<Client> | undefined

/** A client that acts as nobody. It remembers what the services showed in this browser, so that they cannot go back on it. */
export function publicClient(core: string): Promise<Client> {
  connecting ??= Client.connect({
    core,
    trustStore: new IndexedDbStore('svc-public'),
    fetch: fetchOrRecall,
    retries: false,
  }).catch((error: unknown) => {
    connecting = undefined
    throw error
  })
  return connecting
}
