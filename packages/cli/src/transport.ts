import type { Client, ConnectOptions, Transport } from '#client'

/** A connection beside a client's, for what the SDK reads without one. `options` are those the client was connected with. */
export async function transportBeside({ realm }: Client, options: ConnectOptions): Promise<Transport> {
  const { Transport } = await import('#client')
  const { core: _, trustStore: __, ...connection } = options
  return new Transport({ ...connection, realm })
}
