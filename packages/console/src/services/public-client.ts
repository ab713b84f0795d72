import { Client } from '@svc/client'
import { fetchOrRecall } from '../kept/answers.ts'
import { databaseOf } from '../kept/database.ts'

let connecting: Promise<Client> | undefined

/** A client that acts as nobody. It remembers what the services showed in this browser, so that they cannot go back on it. */
export function publicClient(core: string): Promise<Client> {
  connecting ??= Client.connect({
    core,
    trustStore: databaseOf('svc-public'),
    fetch: fetchOrRecall,
    retries: false,
  }).catch((error: unknown) => {
    connecting = undefined
    throw error
  })
  return connecting
}
