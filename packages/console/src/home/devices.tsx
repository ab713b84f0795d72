import type { Client } from '@svc/client'
import { standingDevices } from '@svc/client/functions'
import { Exact } from '../content/exact.tsx'
import { deviceNames } from '../keys/device-names.ts'
import type { Own } from '../own/own.ts'
import { RootAct } from '../own/root-act.tsx'
import { Part } from '../shell/part.tsx'
import { useTask } from '../shell/task.tsx'
import { deviceLabel } from '../sign-in/device-label.ts'
import { words } from '../words/home/words.ts'
import { PairDevice } from './pair-device.tsx'

interface DevicesProps extends Own {
  readonly change: number
  readonly onChange: () => void
}

/** The devices, as the verified log of the identity has them. */
export function Devices({ core, client, device, rootLock, change, onChange }: DevicesProps) {
  const task = useTask()
  const nameOf = (deviceId: string): string | undefined =>
    deviceNames()[deviceId] ?? (deviceId === device.deviceId ? deviceLabel() : undefined)
  const read = () => standingDevices(client, device.did, Date.now())
  const revoke = async (root: Client, deviceId: string) => {
    await root.devices.revoke(deviceId)
    task.say(words.revoked)
    onChange()
  }
  return (
    <Part title={words.devices} of={String(change)} read={read}>
      {(devices) => (
        <>
          <p>{words.devicesLead}</p>
          <ul class="list">
            {devices.map(({ deviceId, origin, standing }) => (
              <li key={deviceId}>
                <div>
                  <strong>{nameOf(deviceId) ?? origin}</strong>
                  <span class="tag">{words.deviceStates[standing]}</span>
                  {deviceId === device.deviceId ? <span class="tag">{words.isThis}</span> : null}
                  {nameOf(deviceId) === undefined ? null : <small>{origin}</small>}
                  <Exact class="id">{deviceId}</Exact>
                </div>
                {standing === 'revoked' || deviceId === device.deviceId ? null : (
                  <RootAct
                    core={core}
                    rootLock={rootLock}
                    action={words.revoke}
                    label={`${words.revoke} ${deviceId}`}
                    onAct={(root) => revoke(root, deviceId)}
                  />
                )}
              </li>
            ))}
          </ul>
          {devices.some(({ standing }) => standing === 'ended') ? <p>{words.endedLead}</p> : null}
          <PairDevice core={core} rootLock={rootLock} onPaired={onChange} />
        </>
      )}
    </Part>
  )
}
