package com.example;

import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties that begin with {@code flexdb}.
 *
 * @param directory is made if it is missing
 * @param options as {@code FlexDBOptions.withProperties} takes them
 */
@ConfigurationProperties("flexdb")
record StoreProperties(String directory, @DefaultValue Map<String, String> options) {}
