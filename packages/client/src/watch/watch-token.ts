import { hkdfSha3_384 } from '#pqc/sha3'
import { encodeBase64url } from '#protocol/base/base64url'
import { isWatchToken, WATCH_TOKEN_BYTES, watchTokenHash } from '#protocol/chain/watch'
import { checkCall } from '../arguments/check.ts'
import { ConfigurationError } from '../transport/configuration-error.ts'

const LABEL = 'svc/watch-token/v1'

/**
 * A secret that shows what decides a theft of one identity, and can do nothing else. It appears in no text of this object:
 * `reveal` returns it, for storing or handing it out.
 */
export class WatchToken {
  /** SHA3-384 of the token, 96 lowercase hex characters: names it, and may be shown. */
  readonly tokenHash: string
  readonly #text: string

  private constructor(text: string) {
    this.#text = text
    this.tokenHash = watchTokenHash(text)
  }

  /** A new one, of 256 random bits. */
  static create(): WatchToken {
    return new WatchToken(encodeBase64url(crypto.getRandomValues(new Uint8Array(WATCH_TOKEN_BYTES))))
  }

  /** One that was revealed before. Throws a `ConfigurationError` for a text that is none. */
  static of(text: string): WatchToken {
    checkCall('WatchToken.of', [text], ['text'])
    if (isWatchToken(text)) return new WatchToken(text)
    throw new ConfigurationError('token', 'A watch token has 43 characters of base64url')
  }

  /** 43 characters of base64url. */
  reveal(): string {
    return this.#text
  }
}

/** The token of a device, which its keys give again wherever they are. The seed has 32 bytes. */
export function watchTokenOf(seed: Uint8Array): WatchToken {
  const label = new TextEncoder().encode(LABEL)
  return WatchToken.of(encodeBase64url(hkdfSha3_384(seed, new Uint8Array(), label, WATCH_TOKEN_BYTES)))
}
