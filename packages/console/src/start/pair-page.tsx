import './start.css'
import type { JoinedOffer } from '@svc/client'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Exact } from '../content/exact.tsx'
import { SaidError } from '../failures/sentences.ts'
import { connectAs, connectAsNobody } from '../keys/connect.ts'
import { CONSOLE_CAPABILITIES, keepDevice, type NewDevice, newDevice } from '../keys/device-keys.ts'
import { MAX_NAME_CHARS, nameDevice } from '../keys/device-names.ts'
import { checkInvitation } from '../keys/invitation.ts'
import type { Lock } from '../keys/lock.ts'
import type { PageProps } from '../page.ts'
import { go } from '../router.ts'
import { Button } from '../shell/button.tsx'
import { Field } from '../shell/field.tsx'
import { Form } from '../shell/form.tsx'
import { TaskArea, useTask } from '../shell/task.tsx'
import { deviceLabel } from '../sign-in/device-label.ts'
import { Heading } from '../sign-in/heading.tsx'
import { words } from '../words/start/words.ts'
import { Protection } from './protection.tsx'

/** This browser joins an identity that is on another device. */
export function PairPage({ configuration }: PageProps) {
  return (
    <TaskArea>
      <Pairing core={configuration.services.core} />
    </TaskArea>
  )
}

function Pairing({ core }: { readonly core: string }) {
  const [text, setText] = useState(location.hash.slice(1))
  const [name, setName] = useState(deviceLabel())
  const [joined, setJoined] = useState<JoinedOffer | null>(null)
  const [member, setMember] = useState<{ made: NewDevice; device: NewDevice['device'] } | null>(null)
  const task = useTask()
  const waiting = useRef<AbortController | null>(null)
  useEffect(() => {
    // An address of the same page only changes its fragment.
    const opened = () => location.hash !== '' && setText(location.hash.slice(1))
    addEventListener('hashchange', opened)
    return () => {
      removeEventListener('hashchange', opened)
      waiting.current?.abort()
    }
  }, [])

  const keep = async (made: NewDevice, device: NewDevice['device'], lock: Lock | null) => {
    await keepDevice(made, device, lock)
    await (await connectAs(core, device)).devices.confirm()
    nameDevice(device.deviceId, name)
    go('/')
  }
  const join = async () => {
    checkInvitation(text)
    // The invitation is of no use to anybody who reads the history.
    history.replaceState(null, '', location.pathname)
    const controller = new AbortController()
    waiting.current = controller
    const made = await newDevice()
    const client = (await connectAsNobody(core)).with({ signal: controller.signal })
    setJoined(await client.pairing.join(text, made.device))
    const arrive = async () => {
      const { device } = await client.pairing.waitToTake(text, made.device).catch(() => {
        setJoined(null)
        throw new SaidError(words.refused)
      })
      if (made.keys === null) setMember({ made, device })
      else await keep(made, device, null)
    }
    void arrive().catch(async (error: unknown) => {
      if (!controller.signal.aborted) await task.run(() => Promise.reject(error))
    })
  }
  if (member)
    return (
      <section class="card">
        <Heading>{words.protectDevice}</Heading>
        <p>{words.protectDeviceLead}</p>
        <Protection name={words.title} onLock={(lock) => keep(member.made, member.device, lock)} />
      </section>
    )
  if (joined !== null)
    return (
      <section class="card">
        <Heading>{words.codeTitle}</Heading>
        <p>{words.codeLead}</p>
        <Exact class="code" name="confirmation code">
          {joined.confirmationCode}
        </Exact>
        <p>{words.joins}</p>
        <Exact name="identity that is joined">{joined.did}</Exact>
        <p>{words.enterName(name.trim())}</p>
        <p>{words.waiting}</p>
      </section>
    )
  return (
    <section class="card">
      <Heading>{words.pairTitle}</Heading>
      <p>{words.pairStep}</p>
      <Form onSend={join}>
        <Field label={words.pairText} value={text} onValue={setText} maxLength={400} />
        <Field label={words.name} hint={words.nameHint} value={name} onValue={setName} maxLength={MAX_NAME_CHARS} />
        <p>{words.asksFor}</p>
        <p>
          {CONSOLE_CAPABILITIES.map((capability) => (
            <Exact key={capability} class="capability">
              {capability}
            </Exact>
          ))}
        </p>
        <Button>{words.join}</Button>
      </Form>
    </section>
  )
}
