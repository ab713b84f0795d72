import type { Context } from '../context.ts'
import type { Result } from '../result.ts'

/** Asks nobody and opens nothing. */
export async function whoami(context: Context): Promise<Result> {
  const { core, realm, did, signer } = await context.profile()
  const keys = signer ? 'signer' : did !== null && (await context.keys.has(did)) ? 'file' : 'none'
  const { profile } = context.options
  return {
    data: { profile, core, realm, did, keys },
    text: [
      `profile   ${profile}`,
      `core      ${core}`,
      `identity  ${did ?? 'none: svc id new'}`,
      `keys      ${{ signer: 'held by another program', file: 'on this machine, encrypted', none: 'none' }[keys]}`,
    ],
  }
}

export async function capabilities(context: Context): Promise<Result> {
  const client = await context.client('nobody')
  const found = await client.capabilities()
  const { features } = found
  return {
    data: found,
    text: [
      `version      ${found.version}`,
      `assertions   version ${features.assertions.versions.join(', ')}${features.assertions.deviceKeys ? ', with device keys' : ''}`,
      `rotation     version ${features.rotation.versions.join(', ')}, window ${hours(features.rotation.windowMs)}`,
      `chain        profile ${features.chain.profiles.join(', ')}, payloads to ${features.chain.maxPayloadBytes} bytes`,
      `notes        to ${features.notes.maxCiphertextBytes} bytes, attachments to ${features.notes.maxAttachmentBytes}`,
    ],
  }
}

function hours(ms: number): string {
  return ms < 3_600_000 ? `${ms / 1000} s` : `${ms / 3_600_000} h`
}
