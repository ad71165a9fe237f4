export declare const bundleFolder: string;
export declare function sourceStamp(folder: string): string;
export declare function isBundled(folder: string): boolean;
export declare function programFile(folder: string): string;
export declare function nodeFlags(folder: string): string[];
