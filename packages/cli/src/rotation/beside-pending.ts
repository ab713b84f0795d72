/** Keeps `svc rotate start` from ending another rotation of its owner (rule R14), for the whole epoch. */
import type { Client } from '#client'
import { CliError } from '../cli-error.ts'
import { EXIT } from '../exit-codes.ts'
import type { NextKeys } from './next-keys.ts'
import { isPending } from './record-lines.ts'

type Rotation = Awaited<ReturnType<Client['chain']['root']>>['rotation']

/** Throws if a second request could end the pending one, which may be the owner's own. */
export async function refuseBeside(
  rotation: Rotation,
  { next, isDispute }: { readonly next: NextKeys; readonly isDispute: boolean },
): Promise<void> {
  if (!rotation || !isPending(rotation)) return
  if (await next.has(rotation.rotationId))
    throw pending(
      'A rotation that you started on this machine is pending, and a second one could end both',
      'svc rotate status shows its deadline, and how to stop it; after the deadline, svc rotate activate',
    )
  // Anything weaker gives way to a request with root key and words.
  if (rotation.basis !== 'full' || rotation.approvedAt !== null || isDispute) return
  throw pending(
    'Another rotation with words of this identity is pending, and a second one could end both',
    'if you started it on another machine, svc rotate activate there after its deadline; if it is not yours, pass --dispute',
  )
}

function pending(message: string, next: string): CliError {
  return new CliError({
    exitCode: EXIT.refused,
    code: 'rotation_pending',
    message,
    next,
    page: '/developer/rotation#recover',
  })
}
