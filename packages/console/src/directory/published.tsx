import type { Client } from '@svc/client'
import { Exact } from '../content/exact.tsx'
import { Part } from '../shell/part.tsx'
import { words } from '../words/directory/words.ts'

interface OfAccount {
  readonly client: Client
  readonly did: string
}

/** The devices of an account with their key packages, each verified against the root key. */
export function Published({ client, did }: OfAccount) {
  return (
    <Part title={words.devices} of={did} read={() => client.keyDirectory.list(did)}>
      {({ devices }) => (
        <>
          {devices.length === 0 ? <p>{words.noDevices}</p> : null}
          <ul class="list">
            {devices.map(({ deviceId, packages, revocation }) => (
              <li key={deviceId}>
                <div>
                  <Exact class="id">{deviceId}</Exact>
                  {packages.map(({ profile, version }) => (
                    <span key={`${profile}-${version}`} class="tag">
                      {words.package(profile, version)}
                    </span>
                  ))}
                  {revocation === null ? null : <span class="tag">{words.revoked}</span>}
                </div>
              </li>
            ))}
          </ul>
        </>
      )}
    </Part>
  )
}
