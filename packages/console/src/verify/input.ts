/** What somebody wants to have checked. */
export interface Input {
  readonly bytes: Uint8Array
  /** The name of the file; null for what was typed. */
  readonly name: string | null
  readonly type: string
}

export interface Settings {
  /** Empty if nobody said. */
  readonly expectedDid: string
  readonly logKeyB64u: string
  /** The content that it must be about. */
  readonly content: Input | null
  readonly isOffline: boolean
  /** Whether the services may be asked for a file by its hash. */
  readonly mayAskFor: boolean
  readonly passphrase: string
}

export const NO_SETTINGS: Settings = {
  expectedDid: '',
  logKeyB64u: '',
  content: null,
  isOffline: false,
  mayAskFor: false,
  passphrase: '',
}

export async function inputOf(file: File): Promise<Input> {
  return { bytes: new Uint8Array(await file.arrayBuffer()), name: file.name, type: file.type }
}

export function typedInput(text: string): Input {
  return { bytes: new TextEncoder().encode(text.trim()), name: null, type: 'text/plain' }
}
