import type { SignInSession } from '@svc/client/sign-in'
import { useState } from 'preact/hooks'
import { Button } from '../shell/button.tsx'
import { momentOf } from '../shell/dates.ts'
import { useTask } from '../shell/task.tsx'

type KnownDevice = Awaited<ReturnType<SignInSession['knownDevices']>>[number]

export function KnownDevices({ session }: { readonly session: SignInSession }) {
  const task = useTask()
  const [devices, setDevices] = useState<readonly KnownDevice[] | null>(null)
  const read = async () => setDevices(await session.knownDevices())
  const forget = async (deviceId: string) => {
    await session.forgetDevice(deviceId)
    await read()
    task.say('The device was forgotten.')
  }
  return (
    <section>
      <h2>Known devices</h2>
      <p>
        Browsers that signed in with your password. They can still sign in if somebody else tries too many passwords.
        Forgetting a device does not sign it out.
      </p>
      {devices === null ? (
        <Button look="plain" onPress={read}>
          Show devices
        </Button>
      ) : devices.length === 0 ? (
        <p class="note">There are no known devices.</p>
      ) : (
        <ul class="list">
          {devices.map(({ deviceId, label, createdAt }) => (
            <li key={deviceId}>
              <div>
                <strong>{label ?? 'Unnamed device'}</strong>
                <small>Since {momentOf(createdAt)}</small>
              </div>
              <Button look="quiet" label={`Forget ${label ?? 'the unnamed device'}`} onPress={() => forget(deviceId)}>
                Forget
              </Button>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
