import type { Client } from '@svc/client'
import { useState } from 'preact/hooks'
import { Exact } from '../content/exact.tsx'
import { SaidError } from '../failures/sentences.ts'
import { MAX_NAME_CHARS, nameDevice } from '../keys/device-names.ts'
import { invitationUrl } from '../keys/invitation.ts'
import type { Own } from '../own/own.ts'
import { RootAct } from '../own/root-act.tsx'
import { Button } from '../shell/button.tsx'
import { Field } from '../shell/field.tsx'
import { Form } from '../shell/form.tsx'
import { Qr } from '../shell/qr.tsx'
import { useTask } from '../shell/task.tsx'
import { words } from '../words/home/words.ts'

interface PairDeviceProps extends Pick<Own, 'core' | 'rootLock'> {
  readonly onPaired: () => void
}

interface Offered {
  readonly root: Client
  readonly invitation: string
  readonly url: string
}

/** Shows an address to another device, and attests that device once its code was compared. */
export function PairDevice({ core, rootLock, onPaired }: PairDeviceProps) {
  const task = useTask()
  const [offered, setOffered] = useState<Offered | null>(null)
  const [shown, setShown] = useState('')
  const [name, setName] = useState('')
  const offer = async (root: Client) => {
    const { invitation } = await root.pairing.offer()
    setOffered({ root, invitation, url: invitationUrl(location.origin, invitation) })
  }
  const approve = async ({ root, invitation }: Offered) => {
    const { request } = await root.pairing.read(invitation)
    if (!request) throw new SaidError(words.pairNobody)
    const attestation = await root.pairing.approve(invitation, shown.trim()).catch(async (error: unknown) => {
      if (!(error instanceof Error) || error.name !== 'VerificationError') throw error
      await root.pairing.cancel(invitation)
      setOffered(null)
      throw new SaidError(words.pairDiffers)
    })
    await root.pairing.seal(invitation, attestation)
    setOffered(null)
    nameDevice(request.acceptance.statement.deviceId, name)
    setShown('')
    setName('')
    task.say(words.pairDone)
    onPaired()
  }
  if (!offered)
    return (
      <>
        <h3>{words.pair}</h3>
        <RootAct core={core} rootLock={rootLock} action={words.pair} onAct={offer} />
      </>
    )
  return (
    <>
      <h3>{words.pair}</h3>
      <p>{words.pairLead}</p>
      <Qr text={offered.url} label={words.pairCode2} />
      <Exact class="code" name="pairing address">
        {offered.url}
      </Exact>
      <Button
        look="quiet"
        onPress={async () => {
          await navigator.clipboard.writeText(offered.url)
          task.say(words.linkCopied)
        }}
      >
        {words.copyLink}
      </Button>
      <p>{words.pairTyped}</p>
      <Exact class="code" name="invitation">
        {offered.invitation}
      </Exact>
      <Form onSend={() => approve(offered)}>
        <Field label={words.pairCode} value={shown} onValue={setShown} maxLength={20} />
        <Field
          label={words.pairName}
          hint={words.pairNameHint}
          value={name}
          onValue={setName}
          maxLength={MAX_NAME_CHARS}
        />
        <Button>{words.pairConfirm}</Button>
      </Form>
    </>
  )
}
