import type { Client } from '@svc/client'

export type LogList = Awaited<ReturnType<typeof listOf>>

/** The signed list of the logs. */
export async function listOf(client: Client) {
  return (await client.anchors.logs()).list()
}
