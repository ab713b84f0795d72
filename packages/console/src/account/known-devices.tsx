import type { SignInSession } from '@svc/client/sign-in'
import { useState } from 'preact/hooks'
import { Button } from '../shell/button.tsx'
import { momentOf } from '../shell/dates.ts'
import { useTask } from '../shell/task.tsx'
import { words } from '../words/account/words.ts'

type KnownDevice = Awaited<ReturnType<SignInSession['knownDevices']>>[number]

export function KnownDevices({ session }: { readonly session: SignInSession }) {
  const task = useTask()
  const [devices, setDevices] = useState<readonly KnownDevice[] | null>(null)
  const read = async () => setDevices(await session.knownDevices())
  const forget = async (deviceId: string) => {
    await session.forgetDevice(deviceId)
    await read()
    task.say(words.forgotten)
  }
  return (
    <section>
      <h2>{words.devices}</h2>
      <p>{words.devicesLead}</p>
      {devices === null ? (
        <Button look="plain" onPress={read}>
          {words.showDevices}
        </Button>
      ) : devices.length === 0 ? (
        <p class="note">{words.noDevices}</p>
      ) : (
        <ul class="list">
          {devices.map(({ deviceId, label, createdAt }) => (
            <li key={deviceId}>
              <div>
                <strong>{label ?? words.unnamed}</strong>
                <small>{words.since(momentOf(createdAt))}</small>
              </div>
              <Button look="quiet" label={words.forgetDevice(label)} onPress={() => forget(deviceId)}>
                {words.forget}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
