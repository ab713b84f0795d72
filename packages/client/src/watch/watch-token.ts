import { hkdfSha3_384 } from '#pqc/sha3'
import { encodeBase64url } from '#protocol/base/base64url'
import { isWatchToken, WATCH_TOKEN_BYTES, watchTokenHash } from '#protocol/chain/watch'
import { checkCall } from '../arguments/check.ts'
import { ConfigurationError } from '../transport/configuration-error.ts'

const LABEL = 'svc/watch-token/v1'

/**
 * A secret that gives read access to the device counts and changes of one identity, and to nothing else. Only `reveal`
 * returns it, for storing it or giving it away; logging this object does not.
 */
export class WatchToken {
  /** SHA3-384 of the token, 96 lowercase hex characters. Identifies the token and is not secret. */
  readonly tokenHash: string
  readonly #text: string

  private constructor(text: string) {
    this.#text = text
    this.tokenHash = watchTokenHash(text)
  }

  /** Creates a token of 256 random bits. */
  static create(): WatchToken {
    return new WatchToken(encodeBase64url(crypto.getRandomValues(new Uint8Array(WATCH_TOKEN_BYTES))))
  }

  /** Parses a revealed token. Throws a `ConfigurationError` for any other text. */
  static of(text: string): WatchToken {
    checkCall('WatchToken.of', [text], ['text'])
    if (isWatchToken(text)) return new WatchToken(text)
    throw new ConfigurationError('token', 'A watch token is 43 characters of base64url')
  }

  /** Returns the token: 43 characters of base64url. */
  reveal(): string {
    return this.#text
  }
}

/** Derives the token of a device from its KEM seed (32 bytes). The same keys always give the same token. */
export function watchTokenOf(seed: Uint8Array): WatchToken {
  const label = new TextEncoder().encode(LABEL)
  return WatchToken.of(encodeBase64url(hkdfSha3_384(seed, new Uint8Array(), label, WATCH_TOKEN_BYTES)))
}
