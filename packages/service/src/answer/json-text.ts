/** Data of an answer that is JSON text already, so that it is neither parsed nor written again. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}
